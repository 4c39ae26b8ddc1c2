import OAuth

/// An object that is put together; what is nil is left out.
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

    /// Left out if it is empty, as a parameter is.
    mutating func set(_ name: String, unlessEmpty strings: [String]) {
        if !strings.isEmpty { set(name, strings: strings) }
    }

    /// Left out if it is false, as a parameter is.
    mutating func set(_ name: String, ifTrue flag: Bool) {
        if flag { set(name, true) }
    }

    mutating func set<Value: WireValue>(_ name: String, _ values: [Value]) {
        members[name] = .array(values.map(\.json))
    }
}
