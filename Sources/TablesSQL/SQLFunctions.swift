/// The functions that the SQL calls and a database may lack.
public struct SQLFunction: Sendable {
    /// The name in SQL.
    public let name: String
    /// How many arguments it takes.
    public let arity: Int
    /// What it returns; the same for the same arguments.
    public let body: @Sendable ([SQLValue]) -> SQLValue

    /// Every function, for the store to register as deterministic.
    public static let all: [SQLFunction] = []
}
