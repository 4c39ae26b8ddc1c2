public import NIOCore

extension EventLoopGroup {
    /// Returns when every loop has run a task that was submitted just now.
    ///
    /// It does not return while a loop is stuck, which makes it a test of their health.
    public func haveTurned() async {
        for loop in makeIterator() { _ = try? await loop.submit {}.get() }
    }
}
