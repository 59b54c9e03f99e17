"""Tests a server with redis-py: redis_py.py PORT PROTOCOL PREFIX runs the functions with that prefix."""

import sys
import threading

import redis

PORT, PROTOCOL, PREFIX = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]


def connect(**options):
    return redis.Redis(port=PORT, protocol=PROTOCOL, decode_responses=True, **options)


def equal(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"


def pairs(found):
    """Returns elements with scores as a list of tuples, whatever the types of the reply."""
    return [(member, float(score)) for member, score in found]


def raises(error, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except redis.RedisError as found:
        assert error in str(found), f"{found!r} is not {error!r}"
    else:
        raise AssertionError(f"no error {error!r}")


def test_add_and_read(r):
    equal(r.zadd("z", {"a": 1, "b": 2.5, "c": "-inf"}), 3)
    equal(r.zadd("z", {"a": 3, "d": 4}, ch=True), 2)
    equal(r.zadd("z", {"a": 9, "e": 5}, nx=True), 1)
    equal(r.zadd("z", {"a": 1, "f": 6}, xx=True, gt=True, ch=True), 0)
    equal(r.zadd("z", {"a": 1}, incr=True), 4.0)
    equal(r.zadd("z", {"a": 1}, nx=True, incr=True), None)
    equal(r.zincrby("z", 0.5, "b"), 3.0)
    equal(r.zscore("z", "b"), 3.0)
    equal(r.zscore("z", "nobody"), None)
    equal(r.zscore("z", "c"), float("-inf"))
    equal(r.zmscore("z", ["a", "nobody"]), [4.0, None])
    equal(r.zcard("z"), 5)
    equal(r.zrank("z", "b"), 1)
    equal(r.zrevrank("z", "e"), 0)
    equal(r.zrank("z", "nobody"), None)
    rank, score = r.zrank("z", "b", withscore=True)
    equal((rank, float(score)), (1, 3.0))
    equal(r.zcount("z", "(3", "+inf"), 3)
    equal(r.zrem("z", "a", "nobody"), 1)
    raises("WRONGTYPE", r.set("s", "x") and r.zadd, "s", {"a": 1})
    raises("not a valid float", r.zadd, "z", {"a": "x"})
    raises("resulting score is not a number", r.zincrby, "z", float("inf"), "c")


def test_ranges(r):
    r.zadd("z", {"a": 1, "b": 2, "c": 3, "d": 4})
    equal(r.zrange("z", 0, -1), ["a", "b", "c", "d"])
    equal(pairs(r.zrange("z", 0, 1, withscores=True)), [("a", 1.0), ("b", 2.0)])
    equal(r.zrange("z", 0, 1, desc=True), ["d", "c"])
    equal(r.zrevrange("z", 0, 0), ["d"])
    equal(r.zrange("z", "(1", "+inf", byscore=True, offset=1, num=5), ["c", "d"])
    equal(r.zrangebyscore("z", 2, 3), ["b", "c"])
    equal(pairs(r.zrevrangebyscore("z", 3, 0, start=0, num=2, withscores=True)),
          [("c", 3.0), ("b", 2.0)])
    equal(r.zrangestore("t", "z", 0, 1), 2)
    equal(r.zrange("t", 0, -1), ["a", "b"])
    r.zadd("lex", {member: 0 for member in ("a", "b", "bb", "c")})
    equal(r.zrangebylex("lex", "[b", "(c"), ["b", "bb"])
    equal(r.zrevrangebylex("lex", "+", "-", start=1, num=1), ["bb"])
    equal(r.zrange("lex", "-", "[b", bylex=True), ["a", "b"])
    equal(r.zlexcount("lex", "-", "(b"), 1)
    equal(r.zremrangebylex("lex", "[b", "[bb"), 2)
    equal(r.zremrangebyrank("z", 0, 0), 1)
    equal(r.zremrangebyscore("z", "(3", "inf"), 1)
    raises("min or max is not a float", r.zrangebyscore, "z", "x", 1)


def test_combinations(r):
    r.zadd("x", {"a": 1, "b": 2})
    r.zadd("y", {"b": 10, "c": 20})
    r.sadd("s", "b", "d")
    equal(r.zunionstore("u", ["x", "y", "s"]), 4)
    equal(r.zunionstore("w", {"x": 2, "y": 3}, aggregate="MAX"), 3)
    equal(r.zscore("w", "b"), 30.0)
    equal(r.zinterstore("i", ["x", "y"], aggregate="MIN"), 1)
    equal(pairs(r.zunion(["x", "y"], withscores=True)), [("a", 1.0), ("b", 12.0), ("c", 20.0)])
    equal(r.zinter(["x", "y"]), ["b"])
    equal(r.zdiff(["x", "y"]), ["a"])
    equal(r.zdiffstore("d", ["y", "x"]), 1)
    equal(r.zintercard(2, ["x", "y"], limit=5), 1)


def test_pops_and_samples(r):
    r.zadd("z", {f"m{number}": number for number in range(300)})
    equal(pairs(r.zpopmin("z", 1)), [("m0", 0.0)])
    equal(pairs(r.zpopmax("z", 2)), [("m299", 299.0), ("m298", 298.0)])
    key, popped = r.zmpop(2, ["nokey", "z"], min=True, count=2)
    equal((key, pairs(popped)), ("z", [("m1", 1.0), ("m2", 2.0)]))
    equal(r.zmpop(1, ["nokey"], max=True), None)
    assert r.zrandmember("z").startswith("m")
    equal(len(r.zrandmember("z", 10)), 10)
    equal(len(r.zrandmember("z", -500)), 500)
    equal(len(pairs(r.zscan_iter("z", count=7))), 295)
    equal(sorted(member for member, _ in r.zscan_iter("z", match="m29?")),
          [f"m{number}" for number in range(290, 298)])


def test_strings_and_sets(r):
    equal(r.set("k", "v"), True)
    equal(r.get("k"), "v")
    equal(r.get("nokey"), None)
    equal(r.sadd("s", "a", "b", "c"), 3)
    equal(set(r.smembers("s")), {"a", "b", "c"})


def test_keys(r):
    r.zadd("z", {"a": 1.5})
    equal(r.exists("z", "z", "nokey"), 2)
    equal(r.type("z"), "zset")
    equal(r.object("encoding", "z"), "listpack")
    equal(r.rename("z", "z2"), True)
    equal(r.rename("z2", "z3"), True)
    equal(r.copy("z3", "z4"), True)
    equal(r.copy("z3", "z4"), False)
    equal(r.copy("z3", "z4", replace=True), True)
    equal(sorted(r.keys("z?")), ["z3", "z4"])
    equal(r.expire("z3", 1000), True)
    assert 0 < r.ttl("z3") <= 1000
    equal(r.expire("z3", 10, gt=True), False)
    equal(r.persist("z3"), True)
    equal(r.ttl("z3"), -1)
    equal(r.ttl("nokey"), -2)
    equal(r.expireat("z3", 9999999999), True)
    equal(r.expiretime("z3"), 9999999999)
    equal(r.delete("z3", "z4", "nokey"), 2)
    for number in range(100):
        r.set(f"key:{number}", number)
    equal(len(set(r.scan_iter(match="key:*", count=7))), 100)
    equal(list(r.scan_iter(_type="ZSET")), [])
    equal(r.dbsize(), 100)
    equal(r.flushdb(), True)


def test_payloads(r):
    binary = redis.Redis(port=PORT, protocol=PROTOCOL)
    member = bytes(range(256))
    for size in (1, 1000):
        binary.zadd("z", {b"%d-" % number + member: number / 3 for number in range(size)})
        payload = binary.dump("z")
        equal(binary.restore("back", 0, payload, replace=True), b"OK")
        equal(binary.zrange("back", 0, -1, withscores=True),
              binary.zrange("z", 0, -1, withscores=True))
    raises("BUSYKEY", binary.restore, "back", 0, payload)
    raises("DUMP payload version or checksum", binary.restore, "new", 0, payload[:-1] + b"x")


def test_pipelines(r):
    pipe = r.pipeline(transaction=False)
    for number in range(5000):
        pipe.zadd("z", {number: number})
    pipe.zcard("z")
    equal(pipe.execute()[-1], 5000)
    with r.pipeline() as pipe:
        equal(pipe.set("k", 1).zadd("k", {"a": 1}).get("k").execute(raise_on_error=False)[::2],
              [True, "1"])
    raises("WRONGTYPE", r.pipeline().zadd("k", {"a": 1}).execute)


def test_connection(r):
    equal(r.ping(), True)
    equal(r.echo("hello"), "hello")
    named = connect(client_name="me")
    equal(named.client_getname(), "me")
    assert named.client_id() > 0
    raises("DB index is out of range", connect(db=1).ping)
    equal(connect(db=0).ping(), True)
    raises("without any password configured", r.execute_command, "AUTH", "x")


def test_server(r):
    equal(r.config_get("zset-max-listpack-entries"), {"zset-max-listpack-entries": "128"})
    equal(r.config_set("zset-max-listpack-entries", 128), True)
    equal(r.info("server")["redis_mode"], "standalone")
    assert r.info()["connected_clients"] >= 1
    assert "zadd" in r.command()
    equal(r.command_count(), len(r.command()))
    equal(r.execute_command("CL.THROTTLE", "user", 15, 30, 60), [0, 16, 15, -1, 2])
    equal(bool(r.function_flush()), True)
    raises("unknown command", r.execute_command, "NOSUCH")


def blocking_pops(r):
    r.zadd("z", {"at once": 1})
    key, member, score = r.bzpopmin("z", timeout=1)
    equal((key, member, float(score)), ("z", "at once", 1.0))
    equal(r.bzpopmax(["z"], timeout=0.01), None)
    equal(r.bzmpop(0.01, 1, ["z"], min=True), None)
    # The reply is the same whether the other client adds before or after this one blocks.
    adder = threading.Thread(target=lambda: connect().zadd("z", {"a": 1, "b": 2}))
    adder.start()
    key, member, score = r.bzpopmax(["nokey", "z"], timeout=20)
    equal((key, member, float(score)), ("z", "b", 2.0))
    key, popped = r.bzmpop(1, 2, ["nokey", "z"], min=True, count=5)
    equal((key, pairs(popped)), ("z", [("a", 1.0)]))
    adder.join()


def main():
    r = connect()
    functions = [value for name, value in list(globals().items()) if name.startswith(PREFIX)]
    assert functions, PREFIX
    for function in functions:
        r.flushall()
        function(r)
        print(function.__name__)
    print("all tests passed")


main()
