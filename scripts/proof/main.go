// Command proof has the servers of the proofs: proof duet for duet.sh, proof witness for
// witness.sh. Each prints its address.
package main

import (
	"log"
	"os"
)

func main() {
	programs := map[string]func(args []string){"duet": duet, "witness": witness}
	if len(os.Args) < 2 || programs[os.Args[1]] == nil {
		log.Fatal("proof: duet or witness")
	}
	programs[os.Args[1]](os.Args[2:])
}
