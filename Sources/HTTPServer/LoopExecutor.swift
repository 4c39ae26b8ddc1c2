import NIOCore

/// An executor on an event loop's own thread, so that a request does not change threads before it is answered.
///
/// Its tasks may compute for a few milliseconds at a time, no more: the loop's other connections stand still meanwhile.
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
