public import OAuth

extension AttributeRule {
    /// Returns the value as text, with one line per item of a collection, or `nil` if the value has the wrong type.
    public func text(of value: JSONValue) -> String? {
        switch kind {
        case .string, .email, .date: value.string
        case .boolean: value.bool.map { "\($0)" }
        case .int, .long: value.int.map { "\($0)" }
        case .stringCollection: value.strings?.joined(separator: "\n")
        }
    }

    /// Converts a stored value to the attribute's current type, or returns `nil` if this is not possible.
    ///
    /// The attribute's type and options may have changed since the value was stored. Items of a list that are no longer
    /// options are removed. The length limits, the pattern and the predicates are not checked.
    public func adopting(_ value: JSONValue) -> JSONValue? {
        switch kind {
        case .string: Self.written(value).flatMap { isOffered($0) ? .string($0) : nil }
        case .email:
            Self.written(value).flatMap { Self.isAddress($0) ? MailAddress.ascii($0) : nil }.map { .string($0) }
        case .boolean: Self.written(value).flatMap { ["true": true, "false": false][$0] }
        case .int: Self.written(value).flatMap { Self.number($0, in: Self.ints) }
        case .long: Self.written(value).flatMap { Self.number($0, in: Self.longs) }
        case .date: Self.written(value).flatMap { CalendarDay($0) }.map { .string($0.description) }
        case .stringCollection: adopting(items: value.strings ?? Self.written(value).map { [$0] } ?? [])
        }
    }

    /// The value that is preselected at sign-up, or `nil` if no option is preselected.
    public var selected: JSONValue? {
        let chosen = options.filter(\.isSelected).map { JSONValue.string($0.value) }
        guard let first = chosen.first else { return nil }
        return switch kind {
        case .stringCollection: .array(chosen)
        case .string, .boolean, .int, .long, .date, .email: first
        }
    }

    /// Whether the text is one of the options, or there are no options.
    func isOffered(_ text: String) -> Bool {
        options.isEmpty || options.contains { $0.value.unicodeScalars.elementsEqual(text.unicodeScalars) }
    }

    private func adopting(items: [String]) -> JSONValue? {
        let kept = items.filter(isOffered)
        return kept.isEmpty ? nil : .array(kept.map { .string($0) })
    }

    /// Returns a string, a Boolean or an integer as text, or `nil` if the text is empty or the value has another type.
    ///
    /// An array that contains only one string is treated like this string.
    private static func written(_ value: JSONValue) -> String? {
        let text: String? =
            switch value {
            case .string(let text): text
            case .bool(let flag): "\(flag)"
            case .int(let number): "\(number)"
            case .array(let items): items.count == 1 ? items.first?.string : nil
            case .null, .double, .object: nil
            }
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func number(_ text: String, in range: ClosedRange<Int64>) -> JSONValue? {
        Int64(text).flatMap { "\($0)" == text && range.contains($0) ? .int($0) : nil }
    }
}
