import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import Moments
import OAuth
import Terminal

struct Token: DaemonCommand {
    static let configuration = CommandConfiguration("token", "help.broker.token", more: "help.broker.token.more")

    @Option(help: .text("help.broker.token.policy")) var policy: String?
    @Option(help: .text("help.broker.token.scope")) var scope: [String] = []
    @Option(help: .text("help.broker.enrolmentOptions.account")) var account: String?
    @Option(help: .text("help.broker.token.client")) var client: String?
    @Option(name: .customLong("min-validity"), help: .text("help.broker.token.minValidity", valueName: "duration"))
    var minValidity: DurationText?
    @Flag(name: .customLong("force-refresh"), help: .text("help.broker.token.forceRefresh")) var forceRefresh = false
    @Flag(name: .customLong("no-prompt"), help: .text("help.broker.exec.noPrompt")) var noPrompt = false
    @Flag(help: .text("help.broker.token.header")) var header = false
    @Flag(help: .text("help.broker.token.env")) var env = false
    @Option(name: .customLong("for"), help: .text("help.broker.exec.url", valueName: "url")) var url: String?
    @OptionGroup var answers: AnswerOptions
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if [header, env, shared.json].filter({ $0 }).count > 1 {
            throw ValidationError(Text("cli.broker.headerEnvOrJSON"))
        }
    }

    /// Prints a warning if the token expires sooner than the user requested.
    private func warn(_ token: AcquiredToken, _ minValidity: DurationText) {
        let left = token.expiresAt - MomentClock.system.now.wall
        guard left < minValidity.milliseconds else { return }
        Program.complain(
            "tokenbroker: "
                + Text("cli.broker.shortLived", ["seconds": max(0, left) / 1000, "wanted": minValidity.seconds]).text
        )
    }

    func run(_ correlation: CorrelationID) async throws {
        var acquire = AcquireRequest(scopes: scope)
        acquire.policy = policy
        acquire.client = client
        acquire.minValidityMs = minValidity?.milliseconds
        acquire.forceRefresh = forceRefresh
        acquire.correlationID = correlation
        let questions = answers.questions
        if noPrompt || !questions.canAnswer { acquire.prompt = .none }
        let token: AcquiredToken
        do {
            token = try await connection.withBroker(correlation, asking: questions) { [acquire] broker in
                var acquire = acquire
                var api: APISummary?
                if let url {
                    let destination = try Destination.of(url, among: try await broker.apis())
                    try ListenerCheck.check(destination)
                    api = destination.api
                }
                if let account {
                    let known = try await broker.account(named: account, program: "tokenbroker")
                    try api?.require(known)
                    acquire.account = known.account
                }
                try api?.require(&acquire)
                return try await broker.acquireToken(acquire).going(to: api)
            }
        } catch let error as BrokerError where error.refusal == .interactionRequired {
            var failure = CommandFailure(error, correlation)
            failure.hint = Text(noPrompt ? "cli.broker.askedWithoutNoPrompt" : "cli.broker.askedInTerminal")
            throw failure
        }
        if let minValidity { warn(token, minValidity) }
        let bearer = token.accessToken.reveal()
        if shared.json {
            try Output.json(token.json)
        } else if header {
            try Output.exactly("Authorization: Bearer \(bearer)")
        } else if env {
            try Output.exactly("ACCESS_TOKEN='\(bearer.replacing("'", with: #"'\''"#))'; export ACCESS_TOKEN;")
            try Output.exactly("ACCESS_TOKEN_EXPIRES_AT=\(token.expiresAt); export ACCESS_TOKEN_EXPIRES_AT;")
        } else {
            try Output.exactly(bearer)
        }
    }
}
