import ArgumentParser
import BrokerAPI
import BrokerClient
import Files
import FlowModel
import Foundation
import Glibc
import OAuth
import ProgramConfiguration
import Terminal

struct RequestCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        "request",
        "help.broker.requestCommand",
        more: "help.broker.requestCommand.more"
    )

    @Option(name: [.customShort("X"), .customLong("method")], help: .text("help.broker.requestCommand.method"))
    var method: String?
    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: .text("help.broker.requestCommand.header", valueName: "name: value")
    )
    var header: [String] = []
    @Option(
        name: [.customShort("d"), .customLong("data")],
        help: .text("help.broker.requestCommand.data", valueName: "data")
    )
    var data: String?
    @Option(help: .text("help.broker.requestCommand.timeout", valueName: "duration")) var timeout: DurationText?
    @Flag(name: [.customShort("i"), .customLong("include")], help: .text("help.broker.requestCommand.include"))
    var include = false
    @Flag(name: [.customShort("v"), .customLong("verbose")], help: .text("help.broker.requestCommand.verbose"))
    var verbose = false
    @Flag(name: .customLong("no-prompt"), help: .text("help.broker.exec.noPrompt")) var noPrompt = false
    @OptionGroup var choice: TokenChoice
    @OptionGroup var answers: AnswerOptions
    @OptionGroup var connection: ConnectionOptions
    @Argument(help: .text("help.broker.requestCommand.url")) var url: String

    func validate() throws {
        guard include, asJSON else { return }
        throw ValidationError(Text("cli.broker.includeOrJSON"))
    }

    func run(_ correlation: CorrelationID) async throws {
        let questions = answers.questions
        let prompt: AcquireRequest.Prompt = noPrompt || !questions.canAnswer ? .none : .auto
        let timeout = Duration.milliseconds(timeout?.milliseconds ?? 60_000)
        let shown = ShownFields(onOutput: include, onErrors: verbose)
        let answer = try await connection.withBroker(correlation, asking: questions) { broker in
            let destination = try Destination.of(url, among: try await broker.apis())
            let request = try APIRequest(
                url,
                at: destination.origin,
                method: method,
                fields: header,
                body: try APIRequest.body(data),
                correlation: correlation
            )
            return try await APIExchange.with(timeout: timeout, showing: shown, to: destination) { exchange in
                let token = try await choice.token(from: broker, for: destination.api, prompt: prompt)
                let first = try await exchange.send(request, token: token.accessToken) { [asJSON] in
                    !asJSON && !Self.isRefusal($0)
                }
                guard Self.isRefusal(first.status) else { return first }
                let other = try await choice.token(
                    after: first.challenge,
                    from: broker,
                    for: destination.api,
                    prompt: prompt
                )
                return try await exchange.send(request, token: other.accessToken) { [asJSON] _ in !asJSON }
            }
        }
        if asJSON { try Output.json(json(answer)) }
        if let failure = failure(answer) { throw failure }
    }

    private var asJSON: Bool { shared.json }

    /// Whether the API rejected the token, so that the request must be repeated with another token.
    private static func isRefusal(_ status: Int) -> Bool { status == 401 }

    private func json(_ answer: APIExchange.Answer) -> JSONValue {
        var headers: [String: JSONValue] = [:]
        for field in answer.headers {
            let name = field.name.lowercased()
            let before = headers[name]?.string.map { "\($0), " } ?? ""
            headers[name] = .string(before + field.value)
        }
        var members: [String: JSONValue] = ["status": .int(Int64(answer.status)), "headers": .object(headers)]
        let body = answer.body ?? []
        if let text = String(validating: body, as: UTF8.self) {
            members["body"] = .string(text)
        } else {
            members["bodyBase64"] = .string(Data(body).base64EncodedString())
        }
        return .object(members)
    }

    private func failure(_ answer: APIExchange.Answer) -> CommandFailure? {
        let said = "\(answer.status) \(PlainText.line(answer.phrase))"
        var failure: CommandFailure
        switch answer.status {
        case ..<300: return nil
        case ..<400:
            let text = answer.header("location").map { place in
                Text("failure.apiRedirects.to", ["place": PlainText.line(place), "status": said])
            }
            failure = CommandFailure(.failed, "redirected", text ?? Text("failure.apiRedirects", ["status": said]))
        case 401:
            let challenge = answer.header("www-authenticate").map { ": \(PlainText.line($0))" } ?? ""
            failure = CommandFailure(
                .denied,
                "unauthorized",
                Text("failure.apiRefusesToken", ["status": said, "challenge": challenge])
            )
        case 403: failure = CommandFailure(.denied, "forbidden", Text("failure.apiForbids", ["status": said]))
        case 429, 503:
            failure = CommandFailure(.tryLater, "try_later", Text("failure.apiIsBusy", ["status": said]))
            failure.hint = answer.header("retry-after").map { Text(exactly: "Retry-After: \(PlainText.line($0))") }
        default: failure = CommandFailure(.failed, "http_error", Text("failure.apiAnswered", ["status": said]))
        }
        failure.facts["status"] = .int(Int64(answer.status))
        return failure
    }
}
