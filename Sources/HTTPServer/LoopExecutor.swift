import NIOCore

/// Runs a task on an event loop's own thread, so that a request does not change threads between arriving and being answered.
///
/// What such a task runs may take some milliseconds without waiting, and no more: the loop's other connections stand still.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
