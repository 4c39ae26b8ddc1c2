/// Where a key is looked for.
public struct KeyFile: Hashable, Sendable {
    /// The paths, of which the first that exists counts.
    public let candidates: [String]
    /// Where a new key is written if there is none and no state that needs the old one; nothing if it must be there.
    public let created: String?

    /// A key that is looked for at these paths.
    public init(candidates: [String], created: String?) {
        self.candidates = candidates
        self.created = created
    }
}
