import StrictYAML

extension PolicyReader {
    /// Reads the rule for a second factor.
    ///
    /// The checks stay in file order, which is their order of preference.
    mutating func secondFactor(_ value: YAMLValue, after signInChecks: [String]) -> SecondFactor {
        let when = SecondFactor.Occasion(rawValue: value["when"].text) ?? .never
        let list = value["checks"]
        let names = known(list)
        let wanted = list.items.map(\.text).filter(names.contains)
        switch when {
        case .never:
            if !wanted.isEmpty {
                refuse(list, "`secondFactor.checks` has no effect if `secondFactor.when` is never")
            }
        case .always, .newDevice:
            if list.items.isEmpty { refuse(list, "`secondFactor.checks` is empty: specify at least one check") }
        }
        let first = signInChecks.compactMap { checks.checks[$0]?.credential }
        for item in list.items {
            guard let check = checks.checks[item.text] else { continue }
            if check.type == .customIdentityProvider || check.type == .assertion {
                refuse(item, "`secondFactor.checks`: \(check.name) identifies the user and is not a second factor")
            } else if check.type == .password {
                refuse(item, "`secondFactor.checks`: \(check.name) checks a password, which is a first factor")
            } else if first.contains(check.credential) {
                refuse(item, "`secondFactor.checks`: \(check.name) repeats a credential of `signInChecks`")
            }
        }
        return SecondFactor(when: when, checks: wanted)
    }
}
