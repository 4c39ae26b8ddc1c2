/// A function that a query can call, by its name in OData.
public enum QueryFunction: String, CaseIterable, Sendable {
    /// True if the second text contains the first.
    case substringof
    /// True if the first text begins with the second.
    case startswith
    /// True if the first text ends with the second.
    case endswith
    /// True if the first text contains the second (OData v4).
    case contains
    /// The index of the second text in the first, from 0; -1 if it is not there.
    case indexof
    /// The text from a place, counted from 0, of at most a length.
    case substring
    /// Both texts, one after the other.
    case concat
    /// The text in which the second argument is replaced by the third.
    case replace
    /// The number of code points.
    case length
    /// The text in lower case.
    case tolower
    /// The text in upper case.
    case toupper
    /// The text without spaces at its ends.
    case trim
    /// The year, in UTC like all parts of a date.
    case year
    /// The month from 1.
    case month
    /// The day of the month from 1.
    case day
    /// The hour from 0.
    case hour
    /// The minute.
    case minute
    /// The second without its fraction.
    case second
    /// Rounds down to a whole number (OData `floor`).
    case floor
    /// Rounds up to a whole number (OData `ceiling`).
    case ceiling
    /// Rounds to the nearest whole number, halves away from zero (OData `round`).
    case round

    /// Longest third argument of `replace` in characters, which is a constant: a text may not grow without bound.
    public static let maxReplacement = 100

    /// Most calls of `replace` in one expression, for the same reason.
    public static let maxReplaces = 10

    /// Numbers of arguments that it takes.
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
