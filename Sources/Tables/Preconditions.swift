/// What a request demands of the row that is there before it is carried out (RFC 9110 §13.2.2).
public struct Preconditions: Hashable, Sendable {
    /// Nothing is demanded: the last write wins.
    public static let none = Preconditions()

    /// `If-Match`: the row must be one of these.
    public var match: VersionCondition
    /// `If-None-Match`: the row must be none of these; ``VersionCondition/none`` names no row.
    public var noneMatch: VersionCondition

    /// Conditions of a request.
    public init(match: VersionCondition = .none, noneMatch: VersionCondition = .none) {
        self.match = match
        self.noneMatch = noneMatch
    }

    /// Whether a write of `row` may go on.
    public func hold(for row: TableRow) -> Bool {
        match.holds(for: row) && !names(row)
    }

    /// Whether `If-None-Match` names `row`, so that a reader has it already.
    public func names(_ row: TableRow) -> Bool {
        noneMatch != .none && noneMatch.holds(for: row)
    }
}
