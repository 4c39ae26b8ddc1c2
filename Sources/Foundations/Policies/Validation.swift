/// A rule that a value satisfies if it satisfies every group of predicates (B2C's `PredicateValidation`).
public struct Validation: Hashable, Sendable, Codable {
    /// A group of predicates, and how many of them a value must satisfy (B2C's `PredicateGroup`).
    public struct Group: Hashable, Sendable, Codable {
        /// The predicates, in file order.
        public let predicates: [Predicate]
        /// The number of predicates that must be satisfied.
        public let atLeast: Int
        /// The help text shown with the field, by language.
        ///
        /// If there is none, the help texts of the predicates are shown.
        public let help: [String: String]

        /// Creates a group.
        ///
        /// By default, all of its predicates must be satisfied.
        public init(_ predicates: [Predicate], atLeast: Int? = nil, help: [String: String] = [:]) {
            self.predicates = predicates
            self.atLeast = atLeast ?? predicates.count
            self.help = help
        }

        /// Whether all predicates must be satisfied.
        public var needsAll: Bool { atLeast >= predicates.count }
    }

    /// The part of a validation that a value does not satisfy.
    public struct Fault: Hashable, Sendable {
        /// The name of a predicate, or the name of the validation and the number of a group, such as `strong/2`.
        public let rule: String
        /// The reason (always `malformed` for a group).
        public let reason: Predicate.Unmet
    }

    /// The name in the policy file.
    public let name: String
    /// The groups, in file order.
    public let groups: [Group]

    /// Returns the first part that a value does not satisfy, or `nil` if the value satisfies all parts.
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

    /// Returns the first and the last day that the required predicates allow, each `nil` if there is no limit.
    public func days(on today: CalendarDay) -> (first: CalendarDay?, last: CalendarDay?) {
        let ranges = groups.filter(\.needsAll).flatMap(\.predicates).compactMap { predicate in
            if case .isDateRange(let from, let to) = predicate.method { (from, to) } else { nil }
        }
        let first = ranges.compactMap { $0.0?.day(on: today) }.max()
        let last = ranges.compactMap { $0.1?.day(on: today) }.min()
        return (first, last)
    }
}
