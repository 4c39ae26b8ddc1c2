import Dispatch
import FlowModel
import Foundation
import Glibc
public import Moments
public import OAuth

/// The person's terminal, whatever stdin and stdout are connected to.
public struct TerminalDevice: Sendable {
    /// The most bytes of one answer; what a terminal's line can hold.
    static let answerLimit = 4096
    /// The interval in milliseconds at which a question checks that it is still wanted.
    private static let glance: Int32 = 100

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "terminal")

    /// The terminal that controls this process; nil if there is none.
    public init?() {
        descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    /// A terminal that is open already.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Shows text as it is; whoever calls has made it safe.
    public func show(_ text: String) {
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let written = bytes[start...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 { start += written } else if errno != EINTR { return }
        }
    }

    /// Asks for one line.
    ///
    /// - Parameters:
    ///   - question: What is shown in front of the answer.
    ///   - echo: Whether what is typed can be seen.
    ///   - deadline: When asking makes no sense any more.
    ///   - clock: What the deadline is held against.
    /// - Returns: What was typed, without the end of the line.
    /// - Throws: `CommandFailure.cancelled` after Ctrl-C, Ctrl-D or when the task is cancelled; `expired` after the deadline.
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

    /// Reads a line in the terminal's own line mode, so that its editing keys work.
    ///
    /// Ctrl-C is a character: the modes must be put back, and the flow ended, before the program goes. ``AskingSignals``
    /// notes every signal that ends or stops the program, so that the modes are put back first. ``TerminalPrompt`` discards
    /// what was typed and not read, on every way out.
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
            // One may have come while the terminal was put in order.
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
                    // One that ends the program may have come while it was stopped.
                    repeat {
                        guard !signals.obey() else { throw CommandFailure.cancelled }
                    } while signals.areNoted
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

/// Ctrl-C.
private let interruptKey: UInt8 = 0x03

/// Makes Ctrl-C end the line instead of the program.
private func setInterrupt(of modes: inout termios) {
    withUnsafeMutableBytes(of: &modes.c_cc) { keys in
        keys[Int(VINTR)] = 0
        keys[Int(VEOL)] = interruptKey
    }
}
