/// A limit on the number of entries, such as pending sign-ins, and the rule that divides it among their origins.
///
/// At each level, entries with the same name may use a quarter of the total (``mostOfLevel``). Another quarter
/// (``reserved``) is only for known origins, from which a user signed in within the last 90 days.
///
/// When a limit is reached, the unanswered entries are grouped by network or user. If the largest group has at least
/// two more entries than the new entry's group, the new entry replaces the newest entry of the largest group.
/// Otherwise, the new entry's group is divided at the next narrower level, and its parts are compared in the same way.
/// If no level allows a replacement, the new entry is rejected.
public struct SharedTotal: Hashable, Sendable {
    /// The maximum number of entries from all origins.
    public let most: Int
    /// The part of ``most`` that only known origins may use.
    public let reserved: Int
    /// The maximum number of entries that have the same name at any one level.
    public let mostOfLevel: Int

    /// Creates a total, of which ``reserved`` and ``mostOfLevel`` are each a quarter by default.
    public init(most: Int, reserved: Int? = nil, mostOfLevel: Int? = nil) {
        self.most = most
        self.reserved = reserved ?? most / 4
        self.mostOfLevel = mostOfLevel ?? max(1, most / 4)
    }

    /// The maximum number of entries from unknown origins.
    public var strangers: Int { most - reserved }

    // MARK: Entries with a lifetime

    /// The entries that are counted together: all, those from unknown origins, or those with a given name at a level.
    public enum Scope: Hashable, Sendable {
        case all
        case strangers
        case level(OriginLevels.Level, String)
    }

    /// An entry that the user has not answered yet.
    public struct Unanswered<ID: Sendable>: Sendable {
        /// The id of the entry.
        public let id: ID
        /// The levels of the entry's origin.
        public let levels: OriginLevels

        /// Creates an unanswered entry.
        public init(id: ID, levels: OriginLevels) {
            self.id = id
            self.levels = levels
        }
    }

    /// Whether a new entry is admitted, and which existing entry the new entry replaces.
    public enum Admission<ID: Sendable>: Sendable {
        case admitted
        case replacing(ID)
        case refused
    }

    /// The entries still waiting for an answer that a new entry may replace.
    public struct Part: Hashable, Sendable {
        /// The scope that selects the entries.
        public let scope: Scope
        /// The level at which entries must have the same name as the new entry, or `nil` if there is no such level.
        public let own: OriginLevels.Level?
    }

    /// The sizes of two groups of entries: the new entry's group and the largest group.
    ///
    /// Each group consists of the entries that have the same name at a level.
    public struct Sizes<Name: Sendable>: Sendable {
        /// The number of existing entries that have the same name as the new entry.
        public let own: Int
        /// The number of entries in the largest group, or 0 if there are no groups.
        public let largest: Int
        /// The name of the largest group.
        public let name: Name

        /// Creates the sizes from the counts and the name of the largest group.
        public init(own: Int, largest: Int, name: Name) {
            self.own = own
            self.largest = largest
            self.name = name
        }
    }

    /// Decides whether a new entry is admitted, for entries stored in a database.
    ///
    /// `count` returns the number of entries, including answered ones. `sizes` groups the unanswered entries by their
    /// names at a level, and `youngest` returns the newest unanswered entry of a group. The last two are called only if
    /// a limit is reached.
    public func admission<ID, Name, Failure: Error>(
        of levels: OriginLevels,
        isKnown: Bool,
        count: (Scope) throws(Failure) -> Int,
        sizes: (Part, OriginLevels.Level) throws(Failure) -> Sizes<Name>,
        youngest: (Part, OriginLevels.Level, Name) throws(Failure) -> ID?
    ) throws(Failure) -> Admission<ID> {
        func replacement(in scope: Scope, at narrowing: [OriginLevels.Level]) throws(Failure) -> Admission<ID> {
            var part = Part(scope: scope, own: nil)
            for level in narrowing {
                let found = try sizes(part, level)
                if found.largest > found.own + 1, let id = try youngest(part, level, found.name) {
                    return .replacing(id)
                }
                part = Part(scope: scope, own: level)
            }
            return .refused
        }
        // The counts at narrower levels cannot exceed the count at the widest level, so only the widest is checked.
        let widest = Scope.level(.widest, levels.widest)
        if try count(widest) >= mostOfLevel {
            return try replacement(in: widest, at: [.wider, .origin])
        }
        // This limit is checked before the total, so that unknown origins never use the reserved part.
        if !isKnown, try count(.strangers) >= strangers {
            return try replacement(in: .strangers, at: [.widest, .wider, .origin])
        }
        if try count(.all) >= most {
            return try replacement(in: .all, at: [.widest, .wider, .origin])
        }
        return .admitted
    }

    /// Decides whether a new entry is admitted, for entries kept in memory.
    ///
    /// `count` returns the number of entries, including answered ones. `unanswered` returns the unanswered entries,
    /// oldest first, and is called only if a limit is reached.
    public func admission<ID, Failure: Error>(
        of levels: OriginLevels,
        isKnown: Bool,
        count: (Scope) throws(Failure) -> Int,
        unanswered: (Scope) throws(Failure) -> [Unanswered<ID>]
    ) throws(Failure) -> Admission<ID> {
        // The scope stays the same throughout a decision, so the unanswered entries are read only once.
        var stored: [Unanswered<ID>]?
        func entries(_ part: Part) throws(Failure) -> [Unanswered<ID>] {
            if stored == nil { stored = try unanswered(part.scope) }
            let all = stored ?? []
            guard let own = part.own else { return all }
            return all.filter { $0.levels[own] == levels[own] }
        }
        return try admission(
            of: levels,
            isKnown: isKnown,
            count: count,
            sizes: { (part: Part, level: OriginLevels.Level) throws(Failure) -> Sizes<String> in
                let own = try entries(part)
                let groups = Dictionary(grouping: own) { $0.levels[level] }.mapValues(\.count)
                let largest = groups.max { $0.value < $1.value }
                return Sizes(own: groups[levels[level]] ?? 0, largest: largest?.value ?? 0, name: largest?.key ?? "")
            },
            youngest: { (part: Part, level: OriginLevels.Level, name: String) throws(Failure) -> ID? in
                let largest = try entries(part).filter { $0.levels[level] == name }
                return largest.last?.id
            }
        )
    }

    // MARK: Rates

    /// Returns how many units all callers together may use per period before a known or unknown origin is refused.
    public func limit(isKnown: Bool) -> Int { isKnown ? most : strangers }

    /// Whether callers with the same name at a level may use one more unit of a rate limit in this period.
    ///
    /// `used` is the number of units that these callers have used in this period, and `left` is the number of units
    /// that remain for all callers after this one. The result is `false` if `used` is greater than `left` or has
    /// reached ``mostOfLevel``.
    public func allows(levelWith used: Int, left: Int) -> Bool { used < mostOfLevel && used <= left }
}
