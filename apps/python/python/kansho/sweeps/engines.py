"""Where blocks of variants are worked on: threads, processes, or a Ray cluster.

Each engine takes blocks, tells which are done, and says of one whose worker died that it did: it can be given out again, for a variant has the same answer
wherever and however often it is asked.
"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import threading
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Optional

from .task import Row, Task, block

Items = list[tuple[int, dict[str, Any]]]


class Crashed(Exception):
    """The worker died; nothing is known of its block."""


class Interrupted(BaseException):
    """Nobody waits for this any more. It is no error of a variant."""


class Threads:
    """Threads of this process: all share what is prepared. Calls into kansho run side by side, functions in Python do not."""

    def __init__(self, task: Task, workers: Optional[int], seconds: float):
        self.workers = workers or os.cpu_count() or 1
        self.in_flight = self.workers
        self.seconds, self.stopped = seconds, threading.Event()
        self.task = task
        task.stopper = self._stop
        self.pool = concurrent.futures.ThreadPoolExecutor(self.workers, thread_name_prefix="kansho-sweep")

    def _stop(self, done: int, total: int) -> None:
        if self.stopped.is_set():
            raise Interrupted

    def _block(self, items: Items) -> list[Row]:
        self._stop(0, 0)
        return block(self.task, items, self.seconds, self._stop)

    def submit(self, items: Items) -> Any:
        return self.pool.submit(self._block, items)

    def wait(self, handles: list[Any], timeout: float) -> list[Any]:
        done, _ = concurrent.futures.wait(handles, timeout, concurrent.futures.FIRST_COMPLETED)
        return [handle for handle in handles if handle in done]

    def result(self, handle: Any) -> list[Row]:
        rows: list[Row] = handle.result()
        return rows

    def close(self) -> None:
        self.stopped.set()
        self.pool.shutdown(wait=True, cancel_futures=True)
        self.task.stopper = None


_of_process: Optional[Task] = None


def _begin(task: Task) -> None:
    global _of_process
    _of_process = task


def _in_process(items: Items, seconds: float) -> list[Row]:
    assert _of_process is not None
    return block(_of_process, items, seconds)


class Processes:
    """Processes of their own, for functions in Python that take long. The task is pickled once for each."""

    def __init__(self, task: Task, workers: Optional[int], seconds: float):
        self.workers = workers or os.cpu_count() or 1
        self.in_flight = self.workers
        self.seconds, self.task = seconds, task
        self.pool: Any = None
        self._open()

    def _open(self) -> None:
        # A fork would take locks and threads of this process along.
        self.pool = concurrent.futures.ProcessPoolExecutor(
            self.workers, multiprocessing.get_context("spawn"), _begin, (self.task,)
        )

    def submit(self, items: Items) -> Any:
        try:
            return self.pool.submit(_in_process, items, self.seconds)
        except BrokenProcessPool:
            self.pool.shutdown(wait=False)
            self._open()
            return self.pool.submit(_in_process, items, self.seconds)

    wait = Threads.wait

    def result(self, handle: Any) -> list[Row]:
        try:
            rows: list[Row] = handle.result()
            return rows
        except (BrokenProcessPool, concurrent.futures.CancelledError) as error:
            raise Crashed(str(error)) from error

    def close(self) -> None:
        processes = list((getattr(self.pool, "_processes", None) or {}).values())
        self.pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()


class Ray:
    """A Ray cluster. The task is put into its object store once; every worker process takes it out once."""

    def __init__(self, task: Task, workers: Optional[int], seconds: float, address: str):
        try:
            import ray
        except ImportError as error:
            raise ImportError("sweeps on Ray need it: pip install kansho[ray]") from error
        self.ray, self.seconds = ray, seconds
        self.ours = not ray.is_initialized()
        if self.ours:
            if address == "local":
                cpus: dict[str, Any] = {} if workers is None else {"num_cpus": workers}
                # On loopback: nobody else is to reach it.
                ray.init(
                    address="local",
                    include_dashboard=False,
                    log_to_driver=False,
                    _node_ip_address="127.0.0.1",
                    **cpus,
                )
            else:
                ray.init(address=address, log_to_driver=False)
        try:
            cpus_there = int(ray.cluster_resources().get("CPU", 1))
            self.workers = min(workers or cpus_there, cpus_there)
            if self.workers < 1:
                raise RuntimeError("the Ray cluster has no CPU to work on")
            # One more than there are workers waits, so that none has to.
            self.in_flight = self.workers + 1
            self.key = os.urandom(16)
            self.task = ray.put(task)
            # A block whose worker died is given out again by the driver, which counts how often.
            self.remote = ray.remote(num_cpus=1, max_retries=0)(_on_ray)
        except BaseException:
            self.close()
            raise

    def submit(self, items: Items) -> Any:
        return self.remote.remote(self.key, [self.task], items, self.seconds)

    def wait(self, handles: list[Any], timeout: float) -> list[Any]:
        done, _ = self.ray.wait(handles, num_returns=1, timeout=timeout, fetch_local=True)
        return list(done)

    def result(self, handle: Any) -> list[Row]:
        exceptions = self.ray.exceptions
        try:
            rows: list[Row] = self.ray.get(handle)
            return rows
        except exceptions.RayTaskError:
            raise
        except exceptions.RayError as error:
            raise Crashed(str(error).strip().splitlines()[0]) from error

    def close(self) -> None:
        if self.ours:
            self.ray.shutdown()


_on_worker: dict[bytes, Task] = {}


def _on_ray(key: bytes, held: list[Any], items: Items, seconds: float) -> list[Row]:
    import ray

    if key not in _on_worker:
        _on_worker.clear()  # Of sweeps before.
        _on_worker[key] = ray.get(held[0])
    return block(_on_worker[key], items, seconds)
