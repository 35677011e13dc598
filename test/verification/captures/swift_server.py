"""
OpenStack Swift with its S3 API: its four servers in one process, on loopback, with the rings and settings of a single disk.

python3 swift_server.py DIRECTORY ACCESS_KEY SECRET_KEY. Prints its port when it is ready, and ends when its standard input does.
"""
import os
import sys

import eventlet

eventlet.monkey_patch()

from eventlet import hubs, wsgi as eventlet_wsgi  # noqa: E402
from swift.common import ring, utils, wsgi  # noqa: E402

directory, access_key, secret_key = sys.argv[1:4]
storage = ('account', 'container', 'object')


def write(name, text):
    path = os.path.join(directory, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


utils.SWIFT_CONF_FILE = write('swift.conf', """
[swift-hash]
swift_hash_path_suffix = attestor
[storage-policy:0]
name = one
default = yes
""")
utils.validate_configuration()
os.makedirs(os.path.join(directory, 'devices', 'disk'))
sockets = {name: eventlet.listen(('127.0.0.1', 0), reuse_port=False) for name in [*storage, 'proxy']}
common = f"""
[DEFAULT]
swift_dir = {directory}
devices = {directory}/devices
mount_check = false
log_level = CRITICAL
"""
for name in storage:
    builder = ring.RingBuilder(1, 1, 0)
    address = {'ip': '127.0.0.1', 'port': sockets[name].getsockname()[1]}
    builder.add_dev({'id': 0, 'region': 1, 'zone': 1, 'device': 'disk', 'weight': 1, **address})
    builder.rebalance()
    builder.get_ring().save(os.path.join(directory, f'{name}.ring.gz'))
    write(f'{name}.conf', f"""{common}
[pipeline:main]
pipeline = {name}-server
[app:{name}-server]
use = egg:swift#{name}
""")
write('proxy.conf', f"""{common}
[pipeline:main]
pipeline = catch_errors cache s3api tempauth slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
[filter:s3api]
use = egg:swift#s3api
location = eu-west-1
[filter:tempauth]
use = egg:swift#tempauth
user_{access_key.replace(':', '_')} = {secret_key} .admin
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
""")
for name, socket in sockets.items():
    application = wsgi.loadapp(os.path.join(directory, f'{name}.conf'), global_conf={})
    eventlet.spawn(eventlet_wsgi.server, socket, application, log_output=False, debug=False)
print(sockets['proxy'].getsockname()[1], flush=True)
hubs.trampoline(sys.stdin.fileno(), read=True)
os._exit(0)
