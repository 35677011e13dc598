#!/bin/sh
# A member of compose.cluster.yaml: the first one, on an empty disk, begins the cluster; every other start joins it. After
# all members were down, set FIRST_MEMBER to the one whose grastate.dat has the highest seqno.
set -eu
state=/var/lib/mysql/grastate.dat
if [ "${MARIADB_FIRST_MEMBER:-}" = "$HOSTNAME" ] && [ -f "$state" ]; then
	sed -i 's/^safe_to_bootstrap: 0/safe_to_bootstrap: 1/' "$state"
	exec docker-entrypoint.sh mariadbd "$@" --wsrep-new-cluster
fi
if [ "$HOSTNAME" = member1 ] && [ ! -f "$state" ]; then
	exec docker-entrypoint.sh mariadbd "$@" --wsrep-new-cluster
fi
exec docker-entrypoint.sh mariadbd "$@"
