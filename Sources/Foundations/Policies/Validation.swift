/// A rule for answers, made of groups of predicates (B2C's `PredicateValidation`): each group must be met.
public struct Validation: Hashable, Sendable, Codable {
    /// Some predicates, of which enough must hold (B2C's `PredicateGroup`).
    public struct Group: Hashable, Sendable, Codable {
        /// The predicates in the file's order.
        public let predicates: [Predicate]
        /// The number of them that must hold.
        public let atLeast: Int
        /// The sentence that stands at the field, by language; empty if those of the predicates do.
        public let help: [String: String]

        /// A group; all of its predicates must hold unless `atLeast` says fewer.
        public init(_ predicates: [Predicate], atLeast: Int? = nil, help: [String: String] = [:]) {
            self.predicates = predicates
            self.atLeast = atLeast ?? predicates.count
            self.help = help
        }

        /// True if every predicate must hold.
        public var needsAll: Bool { atLeast >= predicates.count }
    }

    /// The part of a validation that an answer does not meet.
    public struct Fault: Hashable, Sendable {
        /// Its name: that of a predicate, or of the validation with the group's number, such as `strong/2`.
        public let rule: String
        /// The reason; that of a group is its form.
        public let reason: Predicate.Unmet
    }

    /// The name in the policy's file.
    public let name: String
    /// The groups in the file's order.
    public let groups: [Group]

    /// The first part that an answer does not meet; nil if it meets all.
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

    /// The first and the last day of an answer, of the predicates that must hold; nil where there is no bound.
    public func days(on today: CalendarDay) -> (first: CalendarDay?, last: CalendarDay?) {
        let ranges = groups.filter(\.needsAll).flatMap(\.predicates).compactMap { predicate in
            if case .isDateRange(let from, let to) = predicate.method { (from, to) } else { nil }
        }
        let first = ranges.compactMap { $0.0?.day(on: today) }.max()
        let last = ranges.compactMap { $0.1?.day(on: today) }.min()
        return (first, last)
    }
}
