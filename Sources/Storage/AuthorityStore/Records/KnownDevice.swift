/// A device at which a person has proved a second factor.
public struct KnownDevice: Hashable, Sendable {
    /// The name that only the device knows; the store keeps its hash.
    public let name: String
    /// The time for which it is remembered.
    public let life: Duration

    /// A device and the time for which it is remembered.
    public init(name: String, life: Duration) {
        self.name = name
        self.life = life
    }
}
