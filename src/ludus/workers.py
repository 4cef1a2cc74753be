"""Where work runs. Whoever has much to do asks for workers and hands them items; how many there are, and on which
machine, is said once, by the command that was called, and never by the work itself.

`stream` draws an item only when a worker is free for it, so that a source of items may look at what came back before
it decides what is next; results come as they are finished. Work is a function of its item alone.
"""

from __future__ import annotations

import logging
import os
import pickle
import socket
import warnings
from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue
from threading import Thread
from typing import Any, Protocol, TypeVar

from ludus.errors import BadInput, MissingPackage, UnknownName

Item = TypeVar("Item")
Result = TypeVar("Result")

CLIENT = "ray://"
"""How the address of a cluster begins that is entered from outside."""
PATIENCE = 10.0
"""Seconds for a machine of a cluster to take up a call."""
TOKEN = "if it wants a token, set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN to what `ray get-auth-token` says there"


class Workers(Protocol):
    """Some workers somewhere."""

    count: int
    """How many items are in work at once."""
    apart: bool
    """Whether they are other processes: then work, items and results travel, and no memory is shared."""

    def stream(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """The results of `work` on every item, as they are finished; closing the iterator abandons the rest."""
        ...


class Threads:
    """Threads of this process: compiled code runs without Python's lock, so they share all cores.

    They are daemons, and nobody waits for one that is at work when the stream is closed: else Ctrl-C would be heard
    only when the longest search is over.
    """

    apart = False

    def __init__(self, count: int = 0):
        self.count = count if count > 0 else os.cpu_count() or 1

    def stream(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        orders, answers = SimpleQueue(), SimpleQueue()
        waiting, threads, busy = iter(items), 0, 0
        try:
            while True:
                while busy < self.count and (order := next(waiting, _STOP)) is not _STOP:
                    if threads == busy:
                        Thread(target=_serve, args=(work, orders, answers), daemon=True).start()
                        threads += 1
                    orders.put(order)
                    busy += 1
                if not busy:
                    return
                result, error = answers.get()
                busy -= 1
                if error is not None:
                    raise error
                yield result
        finally:
            for _ in range(threads):
                orders.put(_STOP)


_STOP = object()


def _serve(work: Callable, orders: SimpleQueue, answers: SimpleQueue) -> None:
    """The life of one thread."""
    while (order := orders.get()) is not _STOP:
        try:
            answers.put((work(order), None))
        except BaseException as error:  # raised again where the results are awaited
            answers.put((None, error))


class Ray:
    """Processes of a Ray cluster, on this machine or on many. Ray plays an item again whose worker or node has died.

    What travels is the work, once a process, then items and results. Whoever reads a file must find it there as well.
    """

    apart = True

    def __init__(self, address: str = "ray", count: int = 0):
        self._ray = _connected(address, count)
        self.count = count if count > 0 else int(self._ray.cluster_resources().get("CPU", 1))

    def stream(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        ray = self._ray
        try:
            sent = [ray.put(work)]
        except (TypeError, pickle.PicklingError) as error:
            raise BadInput(f"this work cannot leave its process ({error}); use --on threads") from None
        task = ray.remote(max_retries=-1, num_cpus=1)(_do_there)
        waiting, busy = iter(items), []
        try:
            while True:
                while len(busy) < self.count and (item := next(waiting, _STOP)) is not _STOP:
                    busy.append(task.remote(sent, item))
                if not busy:
                    return
                done, busy = ray.wait(busy, num_returns=1)
                try:
                    yield ray.get(done[0])
                except ray.exceptions.RayTaskError as error:
                    raise (error.cause if isinstance(error.cause, Exception) else error) from None
        finally:
            for one in busy:
                ray.cancel(one, force=False)


_works: dict[Any, Callable] = {}
"""In a process of Ray: the work that it is doing, which is unpacked once."""


def _do_there(sent: list, item: Any) -> Any:
    import ray

    if sent[0] not in _works:
        _works.clear()
        _works[sent[0]] = ray.get(sent[0])
    return _works[sent[0]](item)


def _connected(address: str, count: int) -> Any:
    """Ray, in a cluster that is there, or in one of this machine that ends with this process."""
    ray = _imported(address)
    if ray.is_initialized():
        return ray
    place = os.environ.get("RAY_ADDRESS", "") if address == "ray" else address
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if place:
        _knock(place)
    else:
        cores = count if count > 0 else os.cpu_count() or 1
        quiet |= {"num_cpus": cores, "_node_ip_address": "127.0.0.1", "include_dashboard": False}
    try:
        _enter(ray, place or "local", quiet)
    except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        lines = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
        why = lines[-1 if lines[0].endswith(":") else 0].rstrip(".")
        what = f"the cluster at {place} lets nobody in: {why}; {TOKEN}" if place else f"Ray does not start here: {why}"
        raise BadInput(what) from None
    return ray


def _enter(ray: Any, place: str, options: dict[str, Any]) -> None:
    """Ray forks a server for each client that comes from outside. Some are dead at birth: once more, then."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they tell of a failure that is raised as well
        for left in reversed(range(3 if place.startswith(CLIENT) else 1)):
            try:
                ray.init(place, **options)
                return
            except (ConnectionAbortedError, RuntimeError):
                if not left:
                    raise


def _imported(address: str) -> Any:
    try:
        import ray

        if address.startswith(CLIENT):
            import grpc  # noqa: F401 (which Ray's client needs and Ray alone does not bring)
    except ImportError as error:
        raise MissingPackage(f"--on {address}", str(error.name), "ray") from None
    return ray


def _knock(place: str) -> None:
    """Whether anybody listens there: Ray itself would wait for minutes."""
    host, _, port = place.removeprefix(CLIENT).rpartition(":")
    if place == "auto":
        return
    if not host or not port.isdigit():
        raise BadInput(f"a cluster is ray://HOST:PORT, or RAY_ADDRESS=HOST:PORT with --on ray, not {place!r}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise BadInput(f"no cluster answers at {place} ({error}); `ray start --head` begins one") from None


def workers(on: str = "threads", count: int = 0) -> Workers:
    """Workers by the name of their place: threads; ray, which is a cluster of this machine or the one that RAY_ADDRESS
    names; or the address of a cluster, ray://host:10001."""
    if on == "threads":
        return Threads(count)
    if on == "ray" or on.startswith(CLIENT):
        return Ray(on, count)
    raise UnknownName("place to work", on, ["threads", "ray", "ray://HOST:PORT"])
