/// A number of entries that all origins share, and the rule by which it is divided.
///
/// Each level of an origin has at most a quarter (``mostOfLevel``). A quarter (``reserved``) is for known origins: those
/// with a sign-in within 90 days. Where there is no room, the network or user with the most unanswered entries loses its
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

    /// An unanswered entry.
    public struct Unanswered<ID: Sendable>: Sendable {
        /// The entry.
        public let id: ID
        /// The levels of its origin.
        public let levels: OriginLevels

        /// An unanswered entry.
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

    /// The unanswered entries that a new one competes with.
    public struct Part: Hashable, Sendable {
        /// The scope that they are in.
        public let scope: Scope
        /// The level at which they have the new entry's name; `nil` for all entries of ``scope``.
        public let own: OriginLevels.Level?
    }

    /// The sizes of the groups that a level divides a part into.
    public struct Sizes<Name: Sendable>: Sendable {
        /// The number of entries with the new entry's name.
        public let own: Int
        /// The number of entries of the largest group; 0 if there is none.
        public let largest: Int
        /// The name of the largest group.
        public let name: Name

        /// The sizes of groups.
        public init(own: Int, largest: Int, name: Name) {
            self.own = own
            self.largest = largest
            self.name = name
        }
    }

    /// Decides on a new entry, by entries that are counted where they are.
    ///
    /// - Parameters:
    ///   - levels: The levels of its origin.
    ///   - isKnown: Whether the origin has a sign-in within 90 days.
    ///   - count: Counts the entries of a scope, answered or not.
    ///   - sizes: Divides the unanswered entries of a part by a level; called only where there is no room.
    ///   - youngest: Returns the youngest of these entries with a name; called at most once.
    /// - Returns: What the entry needs.
    /// - Throws: The error of the closures.
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
        // No narrower level has more entries than the widest one.
        let widest = Scope.level(.widest, levels.widest)
        if try count(widest) >= mostOfLevel {
            return try replacement(in: widest, at: [.wider, .origin])
        }
        // Before the total: an origin that is not known takes no entry of the part that is reserved for known origins.
        if !isKnown, try count(.strangers) >= strangers {
            return try replacement(in: .strangers, at: [.widest, .wider, .origin])
        }
        if try count(.all) >= most {
            return try replacement(in: .all, at: [.widest, .wider, .origin])
        }
        return .admitted
    }

    /// Decides on a new entry, by entries in memory.
    ///
    /// - Parameters:
    ///   - levels: The levels of its origin.
    ///   - isKnown: Whether the origin has a sign-in within 90 days.
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
        // All parts of one decision have the same scope.
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
