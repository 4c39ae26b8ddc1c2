/// A limit on the total number of entries from all origins, and the rule that divides the total among them.
///
/// Each level of an origin gets at most a quarter (``mostOfLevel``). Another quarter (``reserved``) is reserved for
/// known origins: those with a sign-in in the last 90 days. When the total is full, the network or user with the most
/// unanswered entries loses its newest entry, unless the new entry's network or user would then have just as many.
/// Within one network or user, the same rule applies one level down.
public struct SharedTotal: Hashable, Sendable {
    /// The maximum number of entries from all origins.
    public let most: Int
    /// The part of ``most`` that only known origins may use.
    public let reserved: Int
    /// The maximum number of entries per level of an origin.
    public let mostOfLevel: Int

    /// Creates a total.
    ///
    /// - Parameters:
    ///   - most: The maximum number of entries from all origins.
    ///   - reserved: The number of entries that only known origins may use. The default is a quarter.
    ///   - mostOfLevel: The maximum number of entries per level of an origin. The default is a quarter.
    public init(most: Int, reserved: Int? = nil, mostOfLevel: Int? = nil) {
        self.most = most
        self.reserved = reserved ?? most / 4
        self.mostOfLevel = mostOfLevel ?? max(1, most / 4)
    }

    /// The maximum number of entries from unknown origins.
    public var strangers: Int { most - reserved }

    // MARK: Entries with a lifetime

    /// A subset of the entries.
    public enum Scope: Hashable, Sendable {
        /// All entries.
        case all
        /// The entries from unknown origins.
        case strangers
        /// The entries with this name at this level.
        case level(OriginLevels.Level, String)
    }

    /// An entry that has not been answered yet.
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

    /// Whether a new entry is admitted, and which entry it replaces.
    public enum Admission<ID: Sendable>: Sendable {
        /// The entry is admitted.
        case admitted
        /// The new entry is admitted and replaces the entry with this id.
        case replacing(ID)
        /// The new entry is refused because a limit is reached and no other entry can be replaced.
        case refused
    }

    /// The unanswered entries that compete with a new entry.
    public struct Part: Hashable, Sendable {
        /// The scope of the entries.
        public let scope: Scope
        /// The level at which the entries must have the same name as the new entry, or `nil` to include all entries of
        /// ``scope``.
        public let own: OriginLevels.Level?
    }

    /// The sizes of the groups that result from grouping a part's entries by their names at a level.
    public struct Sizes<Name: Sendable>: Sendable {
        /// The number of entries with the new entry's name.
        public let own: Int
        /// The number of entries in the largest group, or 0 if none exists.
        public let largest: Int
        /// The name of the largest group.
        public let name: Name

        /// Creates the sizes of groups.
        public init(own: Int, largest: Int, name: Name) {
            self.own = own
            self.largest = largest
            self.name = name
        }
    }

    /// Decides whether a new entry is admitted, for entries in a database.
    ///
    /// - Parameters:
    ///   - levels: The levels of the entry's origin.
    ///   - isKnown: Whether the origin has a sign-in in the last 90 days.
    ///   - count: Counts the entries of a scope, answered or not.
    ///   - sizes: Groups the unanswered entries of a part by their names at a level. Called only if a limit is reached.
    ///   - youngest: Returns the newest unanswered entry with the given name. Called at most once.
    /// - Returns: The decision.
    /// - Throws: Any error that the closures throw.
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
        // A narrower level never has more entries than the widest one, so only the widest is counted.
        let widest = Scope.level(.widest, levels.widest)
        if try count(widest) >= mostOfLevel {
            return try replacement(in: widest, at: [.wider, .origin])
        }
        // Checked before the total, so that unknown origins never use the reserved part.
        if !isKnown, try count(.strangers) >= strangers {
            return try replacement(in: .strangers, at: [.widest, .wider, .origin])
        }
        if try count(.all) >= most {
            return try replacement(in: .all, at: [.widest, .wider, .origin])
        }
        return .admitted
    }

    /// Decides whether a new entry is admitted, for entries in memory.
    ///
    /// - Parameters:
    ///   - levels: The levels of the entry's origin.
    ///   - isKnown: Whether the origin has a sign-in in the last 90 days.
    ///   - count: Counts the entries of a scope, answered or not.
    ///   - unanswered: Returns the unanswered entries of a scope, oldest first. Called only if a limit is reached.
    /// - Returns: The decision.
    /// - Throws: Any error that the closures throw.
    public func admission<ID, Failure: Error>(
        of levels: OriginLevels,
        isKnown: Bool,
        count: (Scope) throws(Failure) -> Int,
        unanswered: (Scope) throws(Failure) -> [Unanswered<ID>]
    ) throws(Failure) -> Admission<ID> {
        // All parts of one decision have the same scope, so the entries are read only once.
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

    /// Returns the maximum number of units per period for known or unknown origins.
    public func limit(isKnown: Bool) -> Int { isKnown ? most : strangers }

    /// Whether a level may use one more unit of a rate limit in this period.
    ///
    /// A level gets nothing more once it has used more than remains for all levels, so that something remains for later
    /// callers.
    ///
    /// - Parameters:
    ///   - used: The number of units that the level has used in this period.
    ///   - left: The number of units that remain for all levels together.
    /// - Returns: Whether the level may use one more unit.
    public func allows(levelWith used: Int, left: Int) -> Bool { used < mostOfLevel && used <= left }
}
