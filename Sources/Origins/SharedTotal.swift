/// A number of entries that all origins share, and the rule by which it is divided.
///
/// Each level of an origin has at most a quarter (``mostOfLevel``). A quarter (``reserved``) is for origins where somebody
/// has signed in within 90 days. Where there is no room, the network or user with the most unanswered entries loses its
/// youngest, unless the newcomer would then have as many. Within one network or user the same holds, a level narrower.
public struct SharedTotal: Hashable, Sendable {
    /// The greatest number of entries of all origins.
    public let most: Int
    /// The number out of ``most`` that only known origins take.
    public let reserved: Int
    /// The greatest number of entries of one level of an origin.
    public let mostOfLevel: Int

    /// A total of which a quarter is reserved, and a quarter is the most of one level.
    ///
    /// - Parameters:
    ///   - most: The greatest number of entries of all origins.
    ///   - reserved: The number that only known origins take; a quarter if left out.
    ///   - mostOfLevel: The greatest number of one level; a quarter if left out.
    public init(most: Int, reserved: Int? = nil, mostOfLevel: Int? = nil) {
        self.most = most
        self.reserved = reserved ?? most / 4
        self.mostOfLevel = mostOfLevel ?? max(1, most / 4)
    }

    /// The greatest number of entries of origins that are not known.
    public var strangers: Int { most - reserved }

    // MARK: Entries that last

    /// A part of the entries.
    public enum Scope: Hashable, Sendable {
        /// All entries.
        case all
        /// The entries of origins that were not known.
        case strangers
        /// The entries whose level has this name.
        case level(OriginLevels.Level, String)
    }

    /// An entry that nobody has answered.
    public struct Unanswered<ID: Sendable>: Sendable {
        /// The entry.
        public let id: ID
        /// The levels of its origin.
        public let levels: OriginLevels

        /// An entry that nobody has answered.
        public init(id: ID, levels: OriginLevels) {
            self.id = id
            self.levels = levels
        }
    }

    /// What a new entry needs.
    public enum Admission<ID: Sendable>: Sendable {
        /// Nothing: there is room.
        case admitted
        /// The end of this entry, whose room it takes.
        case replacing(ID)
        /// There is no room for it.
        case refused
    }

    /// Decides on a new entry.
    ///
    /// - Parameters:
    ///   - levels: The levels of its origin.
    ///   - isKnown: Whether somebody has signed in at the origin within 90 days.
    ///   - count: Counts the entries of a scope, answered or not.
    ///   - unanswered: Returns the unanswered entries of a scope, oldest first; called only where there is no room.
    /// - Returns: What the entry needs.
    /// - Throws: The error of the closures.
    public func admission<ID, Failure: Error>(
        of levels: OriginLevels,
        isKnown: Bool,
        count: (Scope) throws(Failure) -> Int,
        unanswered: (Scope) throws(Failure) -> [Unanswered<ID>]
    ) throws(Failure) -> Admission<ID> {
        // Nobody has more at a narrower level than at the widest one.
        let widest = Scope.level(.widest, levels.widest)
        if try count(widest) >= mostOfLevel {
            return Self.replacement(for: levels, at: [.wider, .origin], among: try unanswered(widest))
        }
        // Before the total: an origin that is not known takes no entry of the part that is reserved for known origins.
        if !isKnown, try count(.strangers) >= strangers {
            return Self.replacement(for: levels, at: [.widest, .wider, .origin], among: try unanswered(.strangers))
        }
        if try count(.all) >= most {
            return Self.replacement(for: levels, at: [.widest, .wider, .origin], among: try unanswered(.all))
        }
        return .admitted
    }

    private static func replacement<ID>(
        for levels: OriginLevels,
        at narrowing: [OriginLevels.Level],
        among entries: [Unanswered<ID>]
    ) -> Admission<ID> {
        var scope = entries
        for level in narrowing {
            let groups = Dictionary(grouping: scope) { $0.levels[level] }
            let own = groups[levels[level]] ?? []
            let largest = groups.values.max { $0.count < $1.count } ?? []
            if largest.count > own.count + 1, let youngest = largest.last { return .replacing(youngest.id) }
            scope = own
        }
        return .refused
    }

    // MARK: Rates, of which nothing is taken back

    /// The greatest number in a period while the caller's origin is known, or is not.
    public func limit(isKnown: Bool) -> Int { isKnown ? most : strangers }

    /// Whether one level may take one more in a period.
    ///
    /// It gets no more once it has as many as are left for all, so that something is left for each newcomer.
    ///
    /// - Parameters:
    ///   - used: The number that the level has taken in the period.
    ///   - left: The number that is left for all afterwards.
    /// - Returns: Whether it may.
    public func allows(levelWith used: Int, left: Int) -> Bool { used < mostOfLevel && used <= left }
}
