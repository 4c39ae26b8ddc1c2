public import NIOCore

extension EventLoopGroup {
    /// Returns when every loop has done something that was asked of it just now.
    ///
    /// A loop that is stuck keeps it from returning; that is what it is for.
    public func haveTurned() async {
        for loop in makeIterator() { _ = try? await loop.submit {}.get() }
    }
}
