/// A list of predicate groups, each of which a value must satisfy (B2C's `PredicateValidation`).
public struct Validation: Hashable, Sendable, Codable {
    /// A group of predicates, and how many of them a value must satisfy (B2C's `PredicateGroup`).
    public struct Group: Hashable, Sendable, Codable {
        /// The predicates, in file order.
        public let predicates: [Predicate]
        /// The minimum number of predicates that a value must satisfy.
        public let atLeast: Int
        /// The help text shown with the field, by language, or an empty dictionary to show the texts of the predicates.
        public let help: [String: String]

        /// Creates a group of predicates, all of which a value must satisfy by default.
        public init(_ predicates: [Predicate], atLeast: Int? = nil, help: [String: String] = [:]) {
            self.predicates = predicates
            self.atLeast = atLeast ?? predicates.count
            self.help = help
        }

        /// Whether a value must satisfy all predicates of the group.
        public var needsAll: Bool { atLeast >= predicates.count }
    }

    /// The predicate or group that a value does not satisfy, with the reason.
    public struct Fault: Hashable, Sendable {
        /// The name of a predicate, or the name of the validation and the number of a group, such as `strong/2`.
        public let rule: String
        /// The reason, which is always `malformed` for a group.
        public let reason: Predicate.Unmet
    }

    /// The name of the validation in the policy file.
    public let name: String
    /// The groups, in file order.
    public let groups: [Group]

    /// Returns the first group or predicate that a value does not satisfy, or `nil` if the value is valid.
    public func fault(of text: String, on today: CalendarDay) -> Fault? {
        for (index, group) in groups.enumerated() {
            let unmet = group.predicates.compactMap { predicate in
                predicate.unmet(by: text, on: today).map { Fault(rule: predicate.name, reason: $0) }
            }
            guard group.predicates.count - unmet.count < group.atLeast, let first = unmet.first else { continue }
            return group.needsAll ? first : Fault(rule: "\(name)/\(index + 1)", reason: .malformed)
        }
        return nil
    }

    /// Returns the first and the last day that the required predicates allow, or `nil` where they set no limit.
    public func days(on today: CalendarDay) -> (first: CalendarDay?, last: CalendarDay?) {
        let ranges = groups.filter(\.needsAll).flatMap(\.predicates).compactMap { predicate in
            if case .isDateRange(let from, let to) = predicate.method { (from, to) } else { nil }
        }
        let first = ranges.compactMap { $0.0?.day(on: today) }.max()
        let last = ranges.compactMap { $0.1?.day(on: today) }.min()
        return (first, last)
    }
}
