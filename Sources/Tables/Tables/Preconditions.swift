/// The conditions of a request on the row that is there (RFC 9110 §13.2.2).
public struct Preconditions: Hashable, Sendable {
    /// No condition: the last write wins.
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

    /// True if a write of `row` may go on.
    public func hold(for row: TableRow) -> Bool {
        match.holds(for: row) && !names(row)
    }

    /// True if `If-None-Match` names `row`: the reader has it already.
    public func names(_ row: TableRow) -> Bool {
        noneMatch != .none && noneMatch.holds(for: row)
    }
}
