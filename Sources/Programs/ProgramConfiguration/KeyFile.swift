/// Paths of a key.
public struct KeyFile: Hashable, Sendable {
    /// The paths, of which the first that exists counts.
    public let candidates: [String]
    /// Path for a new key where there is none, and no state that needs the old one; nil if the key must exist.
    public let created: String?

    /// A key that is looked for at these paths.
    public init(candidates: [String], created: String?) {
        self.candidates = candidates
        self.created = created
    }
}
