package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const readsFiles = `
	import memcached from 'k6/x/memcached';
	import gateway from 'k6/x/mxgateway';
	import nats from 'k6/x/nats';
	import sql from 'k6/x/sql';
	import postgres from 'k6/x/sql/driver/postgres';

	const tls = { cacerts: open('./cert.pem'), cert: open('./cert.pem'), key: open('./key.pem'), password: 's3cret' };
	new memcached.Client('127.0.0.1:1', { tls });
	new gateway.Client('127.0.0.1:1', { proto: './gateway.proto' });
	const client = new nats.Client(__ENV.NATS, { credentialsFile: './user.creds' });
	const db = sql.open(postgres, 'postgres://u:p@127.0.0.1:1/db?sslmode=verify-full&sslrootcert=./cert.pem');

	export default function () {
		client.flush();
		console.log('nats: taken');
		try { db.query('select 1') } catch (e) { console.log('sql: ' + e.kind + ' ' + e.message) }
	}`

func TestFilesOfOptionsAreInTheArchive(t *testing.T) {
	t.Parallel()
	env := map[string]string{"NATS": natsEnv(t)["NATS_URL"], defaultEnvMachbase: ""}
	folder := filepath.Join(t.TempDir(), "scripts")
	require.NoError(t, os.Mkdir(folder, 0o700))
	from := func(path string) string {
		raw, err := os.ReadFile(filepath.Join(root, path))
		require.NoError(t, err)

		return string(raw)
	}
	for name, content := range map[string]string{
		"test.js":       readsFiles,
		"gateway.proto": from("scenarios/lib/mxaccess_gateway.proto"),
		"cert.pem":      from("extensions/internal/k6x/testdata/cert.pem"),
		"key.pem":       from("extensions/internal/k6x/testdata/aes256.key.pem"),
		"user.creds": "-----BEGIN NATS USER JWT-----\ne30.e30.e30\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n" +
			"SUALSRUETOYDRNXTFKP3KK3LXEN2IWVOPJ7FTTYQHUR26T7RRMR4LCFKKE\n------END USER NKEY SEED------\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	requireRead := func(script string) {
		t.Helper()
		r := k6(t, options{script: script, env: env})
		require.Equal(t, exitOK, r.code, r.output)
		require.Len(t, r.lines("nats: taken"), 1, r.output)
		require.Len(t, r.lines("sql: connect "), 1, "the certificate is read, and nobody listens: %s", r.output)
		require.NotContains(t, r.output, "names a file")
	}
	script, archive := filepath.Join(folder, "test.js"), filepath.Join(t.TempDir(), "test.tar")
	requireRead(script)
	r := k6(t, options{command: []string{"archive", "-O", archive}, script: script, env: env})
	require.Equal(t, exitOK, r.code, r.output)
	require.NoError(t, os.RemoveAll(folder))
	requireRead(archive)
}
