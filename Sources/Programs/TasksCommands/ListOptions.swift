import ArgumentParser
import OAuth
import Tables
import Terminal

/// Options that select the tasks of `list`, their order and their columns.
struct ListOptions: ParsableArguments {
    @Flag(help: "Those that are done, too.") var all = false
    @Flag(help: "Those that were deleted, too.") var deleted = false
    @Option(help: "Instead of those to be done the ones that this holds for: priority < 3 AND text CONTAINS 'milk'.")
    var filter: String?
    @Option(help: "The columns to sort by, each with asc or desc: due desc,text.") var sort: String?
    @Option(help: "The columns to show: text,due,notes.") var columns: String?
    @Option(help: "Show this many at most.") var limit: Int?
    @Option(help: "Leave this many out at the beginning.") var offset: Int?
    @Flag(help: "Say how many there are in all, whatever --limit and --offset leave out.") var count = false
    @Option(help: "A parameter for the API's own rules, NAME=VALUE; may be repeated.") var param: [String] = []

    mutating func validate() throws {
        if let limit, limit < 0 { throw ValidationError(TasksText.atLeastZero("--limit").text) }
        if let offset, offset < 0 { throw ValidationError(TasksText.atLeastZero("--offset").text) }
        if let wrong = param.first(where: { !$0.contains("=") }) {
            throw ValidationError(TasksText.noPair(wrong).text)
        }
    }

    /// The columns to show, in their order; empty for the usual ones.
    ///
    /// - Throws: 64 with the place that is no name.
    func shown() throws(CommandFailure) -> [String] {
        guard let columns else { return [] }
        return try Self.read("--columns", columns) { () throws(QueryProblem) in
            try Query.selection(parsing: columns).names
        }
    }

    /// The query for the API.
    ///
    /// - Throws: 64 with the place that cannot be read.
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

    /// A refusal of the API, with the place in the filter or the order that it is about.
    func located(_ failure: CommandFailure) -> CommandFailure {
        guard failure.facts["status"]?.int == 400 else { return failure }
        var named = failure
        named.message = Self.typed(failure.message)
        guard let place = column(namedBy: named.message) else { return named }
        // The position is that in the query as it was sent.
        named.message = named.message.replacing(/\ \(at position \d+\)/, with: "")
        var located = CommandFailure.usage(named.message)
        located.excerpt = place
        located.correlationID = failure.correlationID
        located.facts = failure.facts
        return located
    }

    /// A sentence of the API with its query options under the names that they have here.
    private static func typed(_ message: String) -> String {
        [
            ("$filter", "--filter"), ("$orderby", "--sort"), ("$select", "--columns"), ("$top", "--limit"),
            ("$skip", "--offset"),
        ].reduce(message) { $0.replacing($1.0, with: $1.1) }
    }

    /// The place where the column that a sentence quotes was typed: in the option that the sentence begins with, else in
    /// the first that names it.
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

    private func condition() throws(CommandFailure) -> Filter? {
        if let filter {
            return try Self.read("--filter", filter) { () throws(QueryProblem) in try Filter(predicate: filter) }
        }
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
            var failure = CommandFailure.usage("\(option): \(error.message)")
            if let text, let position = error.position { failure.excerpt = Excerpt(text, at: position) }
            throw failure
        }
    }

    private static func pair(_ text: String) -> (String, String) {
        let end = text.firstIndex(of: "=") ?? text.endIndex
        return (String(text[..<end]), String(text[end...].dropFirst()))
    }
}
