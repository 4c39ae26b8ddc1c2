public import OAuth

/// `{removed}`: the thing that was removed, as the call named it.
public struct Removal: WireValue, Hashable {
    /// The thing that was removed.
    public let removed: String

    /// Names the thing that was removed.
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
