import Dispatch
import FlowModel
import Foundation
import Glibc
public import Moments
public import OAuth

/// The process's controlling terminal, even if standard input and output are redirected.
public struct TerminalDevice: Sendable {
    /// The maximum length of an answer in bytes, which is the terminal's own limit for a line.
    static let answerLimit = 4096
    /// The interval, in milliseconds, at which a prompt checks whether it was cancelled.
    private static let glance: Int32 = 100

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "terminal")

    /// Opens the controlling terminal, or returns `nil` if there is none.
    public init?() {
        descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Shows text, which must not contain control characters.
    public func show(_ text: String) {
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let written = bytes[start...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 { start += written } else if errno != EINTR { return }
        }
    }

    /// Shows a sentence on lines of its own, wrapped between words.
    public func say(_ sentence: String) {
        show(TextTable.paragraphs(sentence, width: Output.width(of: descriptor)) + "\n")
    }

    /// Prompts for one line with `question`, and returns the line without its line break.
    ///
    /// - Throws: `CommandFailure.cancelled` after Ctrl-C or Ctrl-D or if the task is cancelled, or a failure with the
    ///   reason `expired` if `deadline` passes.
    public func ask(
        _ question: String,
        echo: Bool,
        until deadline: Deadline? = nil,
        clock: MomentClock = .system
    ) async throws -> Secret {
        let isCancelled = OneShot()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    continuation.resume(
                        with: Result { try read(question, echo: echo, until: deadline, clock, isCancelled) }
                    )
                }
            }
        } onCancel: {
            isCancelled.set()
        }
    }

    /// Reads a line, with Ctrl-C as a character so that the flow is cancelled before the program ends.
    private func read(
        _ question: String,
        echo: Bool,
        until deadline: Deadline?,
        _ clock: MomentClock,
        _ isCancelled: OneShot
    ) throws -> Secret {
        var before = termios()
        guard tcgetattr(descriptor, &before) == 0 else { throw CommandFailure.cancelled }
        var modes = before
        modes.c_lflag |= tcflag_t(ICANON | ISIG)
        modes.c_lflag &= ~tcflag_t(ECHO | ECHONL | ECHOCTL)
        if echo { modes.c_lflag |= tcflag_t(ECHO) }
        modes.c_iflag |= tcflag_t(ICRNL)
        setInterrupt(of: &modes)
        let prompt = TerminalPrompt(descriptor, before: before, during: modes)
        let signals = AskingSignals()
        defer {
            signals.restore()
            // A signal may have been recorded that has not taken effect yet.
            _ = signals.obey()
        }
        prompt.begin()
        defer { prompt.end() }
        show(question)
        do {
            let answer = try line(until: deadline, clock, isCancelled) {
                if signals.areNoted {
                    prompt.end()
                    show("\n")
                    // A signal that ends the program may have arrived while the program was stopped.
                    repeat {
                        guard !signals.obey() else { throw CommandFailure.cancelled }
                    } while signals.areNoted
                    // A SIGTERM that arrived while the program was stopped cancels the task.
                    if isCancelled.isSet { throw CommandFailure.cancelled }
                } else if !signals.wasContinued || prompt.isSet {
                    return
                }
                prompt.begin()
                show(question)
            }
            if !echo { show("\n") }
            return answer
        } catch {
            show("\n")
            throw error
        }
    }

    private func line(
        until deadline: Deadline?,
        _ clock: MomentClock,
        _ isCancelled: OneShot,
        _ obeySignals: () throws -> Void
    ) throws -> Secret {
        while true {
            try obeySignals()
            if isCancelled.isSet { throw CommandFailure.cancelled }
            if let deadline, deadline.hasEnded(at: clock.now) {
                throw CommandFailure(.failed, "expired", Text("cli.terminal.timeEnded"))
            }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, Self.glance) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: Self.answerLimit)
            let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0, !bytes[..<count].contains(interruptKey) else { throw CommandFailure.cancelled }
            return Secret(bytes: PasteMarkers.removed(from: bytes[..<count].filter { $0 != 0x0A && $0 != 0x0D }))
        }
    }
}

private let interruptKey: UInt8 = 0x03

/// Makes Ctrl-C end the line instead of sending a signal.
private func setInterrupt(of modes: inout termios) {
    withUnsafeMutableBytes(of: &modes.c_cc) { keys in
        keys[Int(VINTR)] = 0
        keys[Int(VEOL)] = interruptKey
    }
}
