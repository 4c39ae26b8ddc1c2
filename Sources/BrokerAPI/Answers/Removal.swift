public import OAuth

/// `{removed}`: what is gone, as it was named.
public struct Removal: WireValue, Hashable {
    /// What is gone.
    public let removed: String

    /// What is gone.
    public init(removed: String) {
        self.removed = removed
    }

    /// Reads an answer.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        removed = try reader.string("removed")
    }

    /// The answer as it is written.
    public var json: JSONValue { ["removed": .string(removed)] }
}
