/// One thing that an answer must be (B2C's `Predicate`).
public struct Predicate: Hashable, Sendable, Codable {
    /// A first or last day.
    public enum Day: Hashable, Sendable, Codable {
        /// The day of the answer, in UTC.
        case today
        /// A certain day.
        case day(CalendarDay)

        /// The day that it is.
        public func day(on today: CalendarDay) -> CalendarDay {
            switch self {
            case .today: today
            case .day(let day): day
            }
        }
    }

    /// The ways of looking at an answer, by B2C's names.
    public enum Method: Hashable, Sendable, Codable {
        /// It has so many characters, counted as Unicode scalars.
        case isLengthRange(minLength: Int, maxLength: Int)
        /// The whole of it matches a regular expression.
        case matchesRegex(pattern: String)
        /// It has at least one of these characters.
        case includesCharacters(CharacterChoice)
        /// It is one of these days, or the first or last of them.
        case isDateRange(from: Day?, to: Day?)
    }

    /// The name in the policy's file.
    public let name: String
    /// The way of looking at an answer.
    public let method: Method
    /// The sentence that stands at the field, by language.
    public let help: [String: String]

    /// The reasons for which an answer is not what it must be.
    public enum Unmet: Hashable, Sendable {
        /// It has too few characters.
        case tooShort
        /// It has too many characters.
        case tooLong
        /// It is too early or too late a day.
        case outOfRange
        /// It has another form.
        case malformed
    }

    /// The reason for which an answer does not meet it; nil if it does.
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
