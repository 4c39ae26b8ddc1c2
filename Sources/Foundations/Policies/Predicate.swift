/// A condition that a value must satisfy (B2C's `Predicate`).
public struct Predicate: Hashable, Sendable, Codable {
    /// The first or last day of a range.
    public enum Day: Hashable, Sendable, Codable {
        /// The current day, in UTC.
        case today
        case day(CalendarDay)

        /// Returns the day that this value stands for.
        public func day(on today: CalendarDay) -> CalendarDay {
            switch self {
            case .today: today
            case .day(let day): day
            }
        }
    }

    /// The kinds of conditions, with B2C's names.
    public enum Method: Hashable, Sendable, Codable {
        /// The value has from `minLength` to `maxLength` characters, counted as Unicode scalars.
        case isLengthRange(minLength: Int, maxLength: Int)
        /// The whole value matches a regular expression.
        case matchesRegex(pattern: String)
        /// The value contains at least one of these characters.
        case includesCharacters(CharacterChoice)
        /// The value is a day in this range, including both ends.
        case isDateRange(from: Day?, to: Day?)
    }

    /// The name of the predicate in the policy file.
    public let name: String
    /// The kind of condition, with its parameters.
    public let method: Method
    /// The help text that is shown with the field, by language.
    public let help: [String: String]

    /// The reasons why a value does not satisfy a predicate.
    public enum Unmet: Hashable, Sendable {
        case tooShort
        case tooLong
        case outOfRange
        case malformed
    }

    func unmet(by text: String, on today: CalendarDay) -> Unmet? {
        switch method {
        case .isLengthRange(let least, let most):
            let count = text.unicodeScalars.count
            return count < least ? .tooShort : count > most ? .tooLong : nil
        case .matchesRegex(let pattern): return BoundedPattern(pattern)?.matches(text) == true ? nil : .malformed
        case .includesCharacters(let characters): return characters.isFound(in: text) ? nil : .malformed
        case .isDateRange(let from, let to):
            guard let day = CalendarDay(text) else { return .malformed }
            let isEarly = from.map { day < $0.day(on: today) } ?? false
            let isLate = to.map { day > $0.day(on: today) } ?? false
            return isEarly || isLate ? .outOfRange : nil
        }
    }
}
