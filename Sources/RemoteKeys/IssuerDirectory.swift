public import Moments

/// The keys of many issuers that live at one place, such as the policies of one authority.
///
/// Which issuer to ask for is read from tokens that nobody has verified yet, so both the number of issuers and the
/// speed at which new ones are asked for have a bound.
public actor IssuerDirectory {
    /// Most issuers that are remembered; the one that was used longest ago makes room.
    public static let limit = 64
    /// Most issuers that are asked for the first time within ``window``.
    public static let newPerWindow = 30
    /// The time that ``newPerWindow`` is about.
    public static let window: Duration = .seconds(60)

    private let origin: KeyOrigin
    private let fetcher: KeyFetcher
    private let clock: MomentClock
    private var known: [String: RemoteKeys] = [:]
    private var order: [String] = []
    private var asked: [Int64] = []

    /// A directory of issuers whose documents are at `origin`.
    public init(origin: KeyOrigin, fetcher: KeyFetcher, clock: MomentClock) {
        self.origin = origin
        self.fetcher = fetcher
        self.clock = clock
    }

    /// The key that `issuer` names `kid`, or nil if it has none.
    ///
    /// - Throws: ``RemoteKeysError`` if the issuer could not be asked.
    public func key(kid: String, issuer: String) async throws -> PublishedKey? {
        try await keys(of: issuer).published(kid: kid)
    }

    private func keys(of issuer: String) throws(RemoteKeysError) -> RemoteKeys {
        if let keys = known[issuer] {
            order.removeAll { $0 == issuer }
            order.append(issuer)
            return keys
        }
        let now = clock.now.boot
        asked.removeAll { now - $0 >= Self.window.milliseconds }
        guard asked.count < Self.newPerWindow else {
            throw RemoteKeysError(.limited, "more than \(Self.newPerWindow) new issuers in \(Self.window)")
        }
        asked.append(now)
        if order.count >= Self.limit { known[order.removeFirst()] = nil }
        let keys = RemoteKeys(issuer: issuer, origin: origin, fetcher: fetcher, clock: clock)
        known[issuer] = keys
        order.append(issuer)
        return keys
    }
}
