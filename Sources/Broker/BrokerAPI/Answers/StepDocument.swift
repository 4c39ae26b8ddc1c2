public import FlowModel
public import OAuth

/// The open step of a flow as it stands on the wire.
public struct StepDocument: WireValue, Hashable {
    /// The step's id; good for one evaluated answer.
    public let id: String
    /// The kind of question: a word of ``FlowModel/StepType``, or a newer one.
    public let type: String
    /// The check that asks, by its name.
    public let check: String?
    /// A heading for people.
    public let title: String
    /// The fields to ask for.
    public let nodes: [Node]
    /// The attempts that are left.
    public let attempts: AttemptsLeft?
    /// Sentences for the person.
    public let messages: [Message]
    /// Actions that are offered instead of answering.
    public let actions: [ActionDocument]
    /// Facts for client programs, beside the nodes.
    public let data: JSONValue?

    /// The step as it is shown.
    public init(_ step: Step) {
        id = step.id
        type = step.type.rawValue
        check = step.check
        title = step.title
        nodes = step.nodes
        attempts = step.attempts
        messages = step.messages
        actions = step.actions.map { ActionDocument(name: $0.name.rawValue, availableAt: $0.availableAt) }
        data = step.data
    }

    /// Reads a step.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        id = try reader.string("id")
        type = try reader.string("type")
        check = reader.value["check"]?.string
        title = reader.value["title"]?.string ?? ""
        nodes = try reader.list("nodes")
        attempts = try reader.optional("attempts")
        messages = try reader.list("messages")
        actions = try reader.list("actions")
        data = reader.value["data"].flatMap { $0.isNull ? JSONValue?.none : $0 }
    }

    /// The step as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("id", id)
        object.set("type", type)
        object.set("check", check)
        object.set("title", title)
        object.set("nodes", nodes)
        object.set("attempts", attempts?.json)
        object.set("messages", messages)
        object.set("actions", actions)
        object.set("data", data)
        return object.json
    }
}

/// An action that is offered instead of answering.
public struct ActionDocument: WireValue, Hashable {
    /// A word of ``FlowModel/Action/Name``, or a newer one.
    public let name: String
    /// Time from which it is offered, in milliseconds since 1970 UTC.
    public let availableAt: Int64?

    /// An action by its name.
    public init(name: String, availableAt: Int64? = nil) {
        self.name = name
        self.availableAt = availableAt
    }

    /// Reads an action.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(name: try reader.string("name"), availableAt: reader.value["availableAt"]?.int)
    }

    /// The action as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("name", name)
        object.set("availableAt", availableAt)
        return object.json
    }
}
