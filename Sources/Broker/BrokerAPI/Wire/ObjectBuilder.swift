import OAuth

/// A builder of an object that leaves out nil values.
struct ObjectBuilder {
    private(set) var members: [String: JSONValue] = [:]

    /// The object.
    var json: JSONValue { .object(members) }

    mutating func set(_ name: String, _ value: String?) {
        members[name] = value.map(JSONValue.string)
    }

    mutating func set(_ name: String, _ value: Int64?) {
        members[name] = value.map(JSONValue.int)
    }

    mutating func set(_ name: String, _ value: Bool?) {
        members[name] = value.map(JSONValue.bool)
    }

    mutating func set(_ name: String, _ value: JSONValue?) {
        members[name] = value
    }

    mutating func set(_ name: String, strings: [String]) {
        members[name] = .array(strings.map(JSONValue.string))
    }

    /// Sets a list, unless it is empty.
    mutating func set(_ name: String, unlessEmpty strings: [String]) {
        if !strings.isEmpty { set(name, strings: strings) }
    }

    /// Sets a map of secrets, unless it is empty.
    mutating func set(_ name: String, secrets: [String: Secret]) {
        if !secrets.isEmpty { members[name] = .object(secrets.mapValues { .string($0.reveal()) }) }
    }

    /// Sets a member to true, unless the flag is false.
    mutating func set(_ name: String, ifTrue flag: Bool) {
        if flag { set(name, true) }
    }

    mutating func set<Value: WireValue>(_ name: String, _ values: [Value]) {
        members[name] = .array(values.map(\.json))
    }
}
