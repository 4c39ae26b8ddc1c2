import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import Foundation
import Glibc
import OAuth
import Terminal

struct Exec: DaemonCommand {
    static let configuration = CommandConfiguration("exec", "help.broker.exec", more: "help.broker.exec.more")

    @Option(name: .customLong("for"), help: .text("help.broker.exec.url", valueName: "url")) var url: String?
    @Flag(name: .customLong("no-prompt"), help: .text("help.broker.exec.noPrompt")) var noPrompt = false
    @OptionGroup var choice: TokenChoice
    @OptionGroup var answers: AnswerOptions
    @OptionGroup var connection: ConnectionOptions
    @Argument(parsing: .postTerminator, help: .text("help.broker.exec.command")) var command: [String] = []

    func validate() throws {
        guard !command.isEmpty else {
            throw ValidationError(Text("failure.programMissing"))
        }
    }

    func run(_ correlation: CorrelationID) async throws {
        let questions = answers.questions
        let prompt: AcquireRequest.Prompt = noPrompt || !questions.canAnswer ? .none : .auto
        let (token, origins) = try await connection.withBroker(correlation, asking: questions) { broker in
            let apis = try await broker.apis()
            let destination = try url.map { try Destination.of($0, among: apis) }
            if let destination { try ListenerCheck.check(destination) }
            let token = try await choice.token(from: broker, for: destination?.api, prompt: prompt)
            // An external authority's token is never valid for a local API, even if the scopes have the same names.
            let granting = apis.filter {
                $0.takes(token) && ($0.policy != nil || Set(token.scopes).isSubset(of: $0.scopes))
            }
            let api = destination?.api ?? (granting.count == 1 ? granting.first : nil)
            return (token, api?.origins ?? [])
        }
        setenv("ACCESS_TOKEN", token.accessToken.reveal(), 1)
        setenv("ACCESS_TOKEN_EXPIRES_AT", "\(token.expiresAt)", 1)
        setenv("ACCESS_TOKEN_ORIGINS", origins.joined(separator: " "), 1)
        throw Self.become(command)
    }

    /// Sets close-on-exec on the concurrency runtime's descriptors, which are opened without that flag.
    private static func closeQueuesOnExec() {
        let folder = "/proc/self/fd"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let kind = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
            if let descriptor = Int32(name), kind == "anon_inode:[eventpoll]" {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            }
        }
    }

    /// Replaces this process with the program, and returns only if the replacement fails.
    private static func become(_ command: [String]) -> CommandFailure {
        closeQueuesOnExec()
        // This program ignores or blocks these signals, but the new program needs their default handling.
        for number in [SIGINT, SIGTERM, SIGPIPE] { signal(number, SIG_DFL) }
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        execvp(command[0], &arguments)
        let reason = String(cString: strerror(errno))
        return CommandFailure(
            .failed,
            "not_run",
            Text("failure.cannotRun", ["program": PlainText.line(command[0]), "reason": reason])
        )
    }
}
