package import NIOCore

/// An executor on an event loop's own thread, so that a request does not change threads before it is answered.
///
/// Its tasks may compute for a few milliseconds at a time, no more: the loop's other connections stand still meanwhile.
package final class LoopExecutor: TaskExecutor {
    let loop: any EventLoop

    /// Runs tasks on a loop.
    package init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Runs a job when those before it have run.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
