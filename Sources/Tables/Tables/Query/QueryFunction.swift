/// The functions that a query can call, with their OData names as raw values.
public enum QueryFunction: String, CaseIterable, Sendable {
    /// Whether the second string contains the first.
    case substringof
    /// Whether the first string begins with the second.
    case startswith
    /// Whether the first string ends with the second.
    case endswith
    /// Whether the first string contains the second (OData v4).
    case contains
    /// The index of the second string in the first, counted from 0, or -1 if the first does not contain the second.
    case indexof
    /// The substring that starts at an index, counted from 0, with an optional maximum length as third argument.
    case substring
    case concat
    /// The first argument, in which the third argument replaces each occurrence of the second argument.
    case replace
    /// The number of code points in the string.
    case length
    case tolower
    case toupper
    case trim
    /// The year of a date in UTC.
    case year
    /// The month of a date in UTC, from 1 to 12.
    case month
    /// The day of the month of a date in UTC, from 1.
    case day
    /// The hour of a date in UTC, from 0 to 23.
    case hour
    /// The minute of a date in UTC.
    case minute
    /// The second of a date in UTC, without its fractional part.
    case second
    case floor
    case ceiling
    /// Rounds to the nearest whole number, halves away from zero (OData `round`).
    case round

    /// The maximum length of the third argument of `replace`, in characters.
    ///
    /// The argument must be a constant, so this limit also bounds the length of the result.
    public static let maxReplacement = 100

    /// The maximum number of calls to `replace` in one expression, which bounds the length of the result.
    public static let maxReplaces = 10

    /// The allowed numbers of arguments.
    public var arity: ClosedRange<Int> {
        switch self {
        case .substringof, .startswith, .endswith, .contains, .indexof, .concat: 2...2
        case .substring: 2...3
        case .replace: 3...3
        case .length, .tolower, .toupper, .trim: 1...1
        case .year, .month, .day, .hour, .minute, .second: 1...1
        case .floor, .ceiling, .round: 1...1
        }
    }
}
