import ArgumentParser
import FlowModel
import OAuth
import OfflineTables
import Tables
import Terminal

struct Resolve: TasksSubcommand {
    static let configuration = CommandConfiguration("resolve", "help.tasks.resolve")

    @Argument(help: .text("help.tasks.resolve.id")) var id: String
    @Flag(help: .text("help.tasks.resolve.mine")) var mine = false
    @Flag(help: .text("help.tasks.resolve.theirs")) var theirs = false
    @Flag(help: .text("help.tasks.resolve.delete")) var delete = false
    @OptionGroup var network: NetworkOptions
    @OptionGroup var options: TasksOptions

    func validate() throws {
        guard [mine, theirs, delete].filter({ $0 }).count == 1 else {
            throw ValidationError(Text("cli.tasks.sayOne"))
        }
    }

    private var resolution: ConflictResolution { mine ? .mine : theirs ? .theirs : .delete }

    private func show(_ error: TableOperationError, _ session: TasksSession) async throws {
        if !shared.json { try ConflictText.print([error]) }
        try await session.context.markShown([error])
    }

    func run(_ correlation: CorrelationID) async throws {
        let configuration = try options.configuration()
        let mayConnect = try network.mayConnect(configuration)
        // The user's decision is based on the task as shown, so nothing is synchronized before the decision is applied.
        let error = try await options.withStore(correlation, configuration: configuration) { session, api in
            let errors = try await session.context.errors()
            let error = try UniquePrefix.find(id, among: errors, .conflict) { [$0.itemID.text] }
            if error.isUnseen {
                try await show(error, session)
                throw CommandFailure(error)
            }
            try await session.context.resolve(error, by: resolution)
            if mayConnect {
                try await Sync(session: session, api: api).deliver(of: error.itemID) { try await show($0, session) }
            }
            return error
        }
        let resolved = error.itemID.text
        let said = Text("cli.tasks.resolved", ["id": String(resolved.prefix(UniquePrefix.shortest))])
        try Output.answer(["resolved": .string(resolved)], said, asJSON: shared.json)
    }
}
