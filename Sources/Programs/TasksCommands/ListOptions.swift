import ArgumentParser
import FlowModel
import OAuth
import Tables
import Terminal

struct ListOptions: ParsableArguments {
    @Flag(help: .text("help.tasks.listOptions.all")) var all = false
    @Flag(help: .text("help.tasks.listOptions.deleted")) var deleted = false
    @Option(help: .text("help.tasks.listOptions.filter")) var filter: String?
    @Option(help: .text("help.tasks.listOptions.sort")) var sort: String?
    @Option(help: .text("help.tasks.listOptions.columns")) var columns: String?
    @Option(help: .text("help.tasks.listOptions.limit")) var limit: Int?
    @Option(help: .text("help.tasks.listOptions.offset")) var offset: Int?
    @Flag(help: .text("help.tasks.listOptions.count")) var count = false
    @Option(help: .text("help.tasks.listOptions.param")) var param: [String] = []

    mutating func validate() throws {
        if let limit, limit < 0 { throw ValidationError(Text("cli.tasks.atLeastZero", ["option": "--limit"])) }
        if let offset, offset < 0 { throw ValidationError(Text("cli.tasks.atLeastZero", ["option": "--offset"])) }
        if let wrong = param.first(where: { !$0.contains("=") }) {
            throw ValidationError(Text("cli.tasks.noPair", ["text": wrong]))
        }
    }

    /// Returns the selected columns in order, or an empty array for the default columns.
    func shown() throws(CommandFailure) -> [String] {
        guard let columns else { return [] }
        return try Self.read("--columns", columns) { () throws(QueryProblem) in
            try Query.selection(parsing: columns).names
        }
    }

    /// Returns the query for the API, or throws an error that shows the position of a syntax error.
    func query() throws(CommandFailure) -> Query {
        var query = Query()
        query.filter = try condition()
        if let sort {
            query.order = try Self.read("--sort", sort) { () throws(QueryProblem) in try SortTerm.parsing(sort) }
        }
        query.top = limit
        query.skip = offset
        query.includesTotalCount = count
        query.includesDeleted = deleted
        let shown = try shown()
        if !shown.isEmpty { query.selection = ["id"] + shown.filter { $0.lowercased() != "id" } }
        for parameter in param {
            let (name, value) = Self.pair(parameter)
            query = try Self.read("--param", nil) { () throws(QueryProblem) in try query.parameter(name, value) }
        }
        return query
    }

    /// Returns an API error with the command-line option's name and the place where the user typed the rejected column.
    func located(_ failure: CommandFailure) -> CommandFailure {
        guard failure.facts["status"]?.int == 400 else { return failure }
        var named = failure
        named.text = Self.typed(failure.text)
        guard let place = column(namedBy: named.message) else { return named }
        var located = CommandFailure.usage(Self.withoutPosition(named.text))
        located.excerpt = place
        located.correlationID = failure.correlationID
        located.facts = failure.facts
        return located
    }

    private static let names = [
        "$filter": "--filter", "$orderby": "--sort", "$select": "--columns", "$top": "--limit", "$skip": "--offset",
    ]

    /// Replaces the name of a query option in an API message with the name of the command-line option.
    private static func typed(_ text: Text) -> Text {
        guard ["query.ofOption", "query.ofOptionAt"].contains(text.key),
            case .words(let option)? = text.parameters["option"],
            let name = names[option]
        else { return text }
        return Text(key: text.key, parameters: text.parameters.merging(["option": .words(name)]) { $1 })
    }

    /// Removes the position from an API message, because the position refers to the query as sent, not as typed.
    private static func withoutPosition(_ text: Text) -> Text {
        guard text.key == "query.ofOptionAt" else { return text }
        return Text(key: "query.ofOption", parameters: text.parameters.filter { $0.key != "position" })
    }

    /// Returns the place where the user typed the column that `message` names, or `nil` if it is not found.
    ///
    /// If `message` begins with an option's name, only that option is searched.
    private func column(namedBy message: String) -> Excerpt? {
        let options = [("--filter", filter), ("--sort", sort), ("--columns", columns)]
        let meant = options.filter { message.hasPrefix("\($0.0):") }
        for case (_, let typed?) in meant.isEmpty ? options : meant {
            for word in typed.matches(of: /[A-Za-z_][A-Za-z0-9_]*/) where message.contains("'\(word.output)'") {
                return Excerpt(typed, at: typed[..<word.range.lowerBound].unicodeScalars.count)
            }
        }
        return nil
    }

    /// Parses `--filter`, or throws an error that shows the position of a syntax error.
    static func filter(_ text: String) throws(CommandFailure) -> Filter {
        try read("--filter", text) { () throws(QueryProblem) in try Filter(predicate: text) }
    }

    private func condition() throws(CommandFailure) -> Filter? {
        if let filter { return try Self.filter(filter) }
        guard !all else { return nil }
        return try Self.read("--all", nil) { () throws(QueryProblem) in
            try Filter(predicate: "complete == NO OR complete == NULL")
        }
    }

    private static func read<Value>(
        _ option: String,
        _ text: String?,
        _ body: () throws(QueryProblem) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(QueryProblem) {
            return try body()
        } catch {
            var failure = CommandFailure.usage(
                Text("failure.ofOption", ["option": option, "text": error.reason.said.text])
            )
            if let text, let position = error.position { failure.excerpt = Excerpt(text, at: position) }
            throw failure
        }
    }

    private static func pair(_ text: String) -> (String, String) {
        let end = text.firstIndex(of: "=") ?? text.endIndex
        return (String(text[..<end]), String(text[end...].dropFirst()))
    }
}
