/// Tells by the size of a process when memory that is free is worth handing back to the kernel: after it has grown.
public struct MemoryWatch: Sendable {
    private let growth: Int
    private var least = Int.max

    /// A watch of a process that has not been looked at yet.
    ///
    /// - Parameter growth: Bytes more than at the smallest look so far, from which on free memory is handed back.
    public init(growth: Int) {
        self.growth = growth
    }

    /// Looks once.
    ///
    /// - Parameters:
    ///   - resident: Returns the bytes of the process that are in memory; nil where the kernel does not tell.
    ///   - returnFree: Hands free memory back.
    /// - Returns: True if it was handed back.
    @discardableResult
    public mutating func look(
        resident: () -> Int? = { ProcessMemory.resident },
        returnFree: () -> Void = { ProcessMemory.returnFree() }
    ) -> Bool {
        guard let size = resident() else { return false }
        let hasGrown = least < Int.max && size > least + growth
        if hasGrown { returnFree() }
        least = min(least, hasGrown ? resident() ?? size : size)
        return hasGrown
    }
}
