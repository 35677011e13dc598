#!/bin/sh
# A member of compose.cluster.yaml. It begins the cluster if nobody else is there and it may: member1 on an empty disk, or
# the one that was the last to stop, which Galera marks. Every other start joins.
set -eu
state=/var/lib/mysql/grastate.dat

is_anyone_there() {
	for member in member1 member2 member3; do
		if [ "$member" != "$HOSTNAME" ] && timeout 2 bash -c ": > /dev/tcp/$member/4567" 2> /dev/null; then return 0; fi
	done
	return 1
}

may_begin() {
	if [ -f "$state" ]; then grep -q '^safe_to_bootstrap: 1' "$state"; else [ "$HOSTNAME" = member1 ]; fi
}

if may_begin && ! is_anyone_there; then set -- "$@" --wsrep-new-cluster; fi
exec docker-entrypoint.sh mariadbd "$@"
