import Spelling
import StrictYAML

struct PredicateReader {
    enum Method: String, CaseIterable {
        case isLengthRange
        case matchesRegex
        case includesCharacters
        case isDateRange

        /// The keys that configure the method, at least one of which is required.
        var keys: [String] {
            switch self {
            case .isLengthRange: ["minLength", "maxLength"]
            case .matchesRegex: ["pattern"]
            case .includesCharacters: ["characters"]
            case .isDateRange: ["from", "to"]
            }
        }
    }

    private(set) var problems: [Problem] = []
    private(set) var validations: [String: Validation] = [:]

    init(_ file: YAMLValue) {
        let named = file["predicates"].members.compactMap { name, value in predicate(name, value) }
        let predicates = Dictionary(named.map { ($0.name, $0) }) { first, _ in first }
        let known = Set(file["predicates"].members.map(\.name))
        for (name, list) in file["validations"].members {
            let groups = list.items.compactMap { group($0, predicates, known) }
            validations[name] = Validation(name: name, groups: groups)
        }
    }

    /// Returns the validation with the name in `value`, and reports an unknown name as a problem.
    mutating func named(_ value: YAMLValue) -> Validation? {
        guard let name = value.optionalText else { return nil }
        if let validation = validations[name] { return validation }
        let hint = NearestName.of(name, among: validations.keys).map { "; did you mean \($0)?" } ?? ""
        refuse(value, "unknown validation \(name): `validations` does not contain it\(hint)")
        return nil
    }

    /// Rejects a validation that contains a date predicate for text, or a text predicate for a date.
    mutating func require(_ validation: Validation?, areDays: Bool, _ place: YAMLValue, of what: String) {
        let predicates = validation?.groups.flatMap(\.predicates) ?? []
        let wrong = predicates.first { predicate in
            if case .isDateRange = predicate.method { !areDays } else { areDays }
        }
        guard let wrong else { return }
        let words = areDays ? "is for text, but the value is a date" : "is for dates, but the value is text"
        refuse(place, "\(what): the predicate \(wrong.name) \(words)")
    }

    private mutating func refuse(_ value: YAMLValue, _ message: String) { problems.append(value.problem(message)) }

    private mutating func predicate(_ name: String, _ value: YAMLValue) -> Predicate? {
        let word = value["method"].text
        let method = Method(rawValue: word)
        for key in Method.allCases.flatMap(\.keys).sorted()
        where value[key].isGiven && method?.keys.contains(key) != true {
            refuse(value[key], "`predicates.\(name).\(key)` is not for `method: \(word)`")
        }
        guard let method, requireAny(method, name, value), let read = self.method(method, name, value) else {
            return nil
        }
        let help = Dictionary(value["help"].members.map { ($0.name, $0.value.text) }) { first, _ in first }
        return Predicate(name: name, method: read, help: help)
    }

    private mutating func method(_ method: Method, _ name: String, _ value: YAMLValue) -> Predicate.Method? {
        switch method {
        case .isLengthRange:
            let least = value["minLength"].optionalNumber ?? 0
            let most = value["maxLength"].optionalNumber ?? 1024
            if least > most {
                refuse(value["minLength"], "`predicates.\(name).minLength` is more than `maxLength`")
            }
            return .isLengthRange(minLength: least, maxLength: most)
        case .matchesRegex:
            let pattern = value["pattern"].text
            if BoundedPattern(pattern) == nil {
                refuse(value["pattern"], "`predicates.\(name).pattern` is not a valid regular expression")
            }
            return .matchesRegex(pattern: pattern)
        case .includesCharacters:
            return CharacterChoice(value["characters"].text).map { .includesCharacters($0) }
        case .isDateRange:
            let (from, to) = (Self.day(value["from"]), Self.day(value["to"]))
            if case .day(let first)? = from, case .day(let last)? = to, first > last {
                refuse(value["from"], "`predicates.\(name).from` is later than `to`")
            }
            return .isDateRange(from: from, to: to)
        }
    }

    private mutating func requireAny(_ method: Method, _ name: String, _ value: YAMLValue) -> Bool {
        if method.keys.contains(where: { value[$0].isGiven }) { return true }
        let words = method.keys.map { "`\($0)`" }.joined(separator: " or ")
        refuse(value, "`predicates.\(name)`: `method: \(method.rawValue)` requires \(words)")
        return false
    }

    private static func day(_ value: YAMLValue) -> Predicate.Day? {
        value.optionalText.flatMap { $0 == "today" ? .today : CalendarDay($0).map { .day($0) } }
    }

    private mutating func group(
        _ value: YAMLValue,
        _ predicates: [String: Predicate],
        _ known: Set<String>
    ) -> Validation.Group? {
        let names = value["predicates"].items
        for item in names where !known.contains(item.text) {
            let hint = NearestName.of(item.text, among: known).map { "; did you mean \($0)?" } ?? ""
            refuse(item, "unknown predicate \(item.text): `predicates` does not contain it\(hint)")
        }
        if Set(names.map(\.text)).count < names.count {
            refuse(value["predicates"], "a group of a validation has a duplicate predicate")
        }
        let found = names.compactMap { predicates[$0.text] }
        let least = value["atLeast"].optionalNumber
        if let least, least > names.count {
            refuse(value["atLeast"], "`atLeast` is more than the number of predicates in the group")
        }
        let help = Dictionary(value["help"].members.map { ($0.name, $0.value.text) }) { first, _ in first }
        return found.isEmpty ? nil : Validation.Group(found, atLeast: least, help: help)
    }
}
