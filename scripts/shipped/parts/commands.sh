#!/usr/bin/env bash
# The commands of the front page and of the scripts' page, read from their Markdown and run in a
# fresh clone, in their order, with a real server in place of an example's address. Those that are
# not run are listed, each with its reason; a command that is neither fails the part.
# shellcheck source=scripts/shipped/lib.sh disable=SC2016   # Markdown
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

pages=(README.md scripts/README.md)

# reason COMMAND: why it is not run here, or nothing.
reason() {
  case $1 in
    'make test'*) echo 'CI runs it, in a clone of its own' ;;
    'docker '*) echo 'the parts image and compose run it, by another engine' ;;
    *mxgw-dotnet* | *MXGW_URL=gateway*) echo 'needs a gateway of AVEVA, and its .NET client' ;;
    *python,java,rust*) echo 'takes compilers of four languages; `scripts/test/read_bulk_test.sh` runs its clients' ;;
  esac
}

# blocks PAGE: each shell block of a page as a file $room/blocks/NUMBER, a command a line, without
# comments.
blocks() {
  rm -rf "$room/blocks"
  mkdir "$room/blocks"
  awk -v to="$room/blocks/" '
    /^```sh/ { inside = 1; n++; next }
    /^```/ { inside = 0 }
    inside && !/^#/ && NF { sub(/ +# .*/, ""); if (sub(/\\$/, "")) { kept = kept $0 } else { print kept $0 >(to n); kept = "" } }' "$1"
}

clone=$room/clone
git clone -q . "$clone"
# What the pages take for granted.
export K6_NO_USAGE_REPORT=true K6_AUTO_EXTENSION_RESOLUTION=false SWEEP_CLIENTS=1,8
unset MACHBASE_URL MEMCACHED_URL NATS_URL REDIS_URL INFLUXDB_URL
SERVERS_ROOM=shipped-commands scripts/servers.sh up machbase >&2
down() { SERVERS_ROOM=shipped-commands scripts/servers.sh down; (cd "$clone" && scripts/servers.sh down); }
at_end+=(down)
addresses=$(SERVERS_ROOM=shipped-commands scripts/servers.sh env)
machbase=$(eval "$addresses" && printf '%s' "$MACHBASE_URL")

# The script of the front page, of which its commands speak.
sed -n '/^```js/,/^```/{/^```/!p}' README.md >"$clone/lookup.js"

printf '| page | command | |\n|---|---|---|\n'
ran=0 failed=0
for page in "${pages[@]}"; do
  blocks "$page"
  for block in "$room"/blocks/*; do
    [[ -e $block ]] || continue
    : >"$room/said"
    # One shell for a block: what a command exports is for those behind it.
    (
      cd "$clone"
      while read -r -u 3 command; do
        command=${command%"${command##*[! ]}"}
        why=$(reason "$command")
        if [[ -z $why ]]; then
          say "$page: $command"
          code=0
          eval "${command//machbase:\/\/user:password@host:5656/$machbase}" </dev/null >&2 || code=$?
          case $code in
            0) why='exit code 0' ;;
            *) why="**fails: exit code $code**" ;;
          esac
          if [[ $command == *GATES=* && $code == 99 ]]; then why='judged: exit code 99'; fi
        else
          why="not run: $why"
        fi
        printf '| %s | `%s` | %s |\n' "$page" "${command//|/\\|}" "$why" >>"$room/said"
      done 3<"$block"
    ) || true
    cat "$room/said"
    ran=$((ran + $(grep -vc '| not run: ' "$room/said" || true)))
    failed=$((failed + $(grep -c '\*\*fails' "$room/said" || true)))
  done
done
printf '\n%d commands were run, %d failed.\nCLIENTS was 1,8 where a command does not say it.\n' "$ran" "$failed"
signature commands
((failed == 0)) || die "$failed commands fail"
