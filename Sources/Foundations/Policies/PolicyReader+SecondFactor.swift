import StrictYAML

extension PolicyReader {
    /// Reads the rule for a second proof; its checks keep the order of the file.
    mutating func secondFactor(_ value: YAMLValue, after signInChecks: [String]) -> SecondFactor {
        let when = SecondFactor.Occasion(rawValue: value["when"].text) ?? .never
        let list = value["checks"]
        let names = known(list)
        let wanted = list.items.map(\.text).filter(names.contains)
        switch when {
        case .never:
            if !wanted.isEmpty {
                refuse(list, "`secondFactor.checks` has no effect where `secondFactor.when` is never")
            }
        case .always, .newDevice:
            if list.items.isEmpty { refuse(list, "`secondFactor.checks` is empty: there is nothing to ask for") }
        }
        let first = signInChecks.compactMap { checks.checks[$0]?.credential }
        for item in list.items {
            guard let check = checks.checks[item.text] else { continue }
            if check.type == .customIdentityProvider || check.type == .assertion {
                refuse(item, "`secondFactor.checks`: \(check.name) tells who somebody is, and is no second factor")
            } else if check.type == .password {
                refuse(item, "`secondFactor.checks`: \(check.name) asks for a password, which is a first factor")
            } else if first.contains(check.credential) {
                refuse(item, "`secondFactor.checks`: \(check.name) proves again what `signInChecks` has proved")
            }
        }
        return SecondFactor(when: when, checks: wanted)
    }
}
