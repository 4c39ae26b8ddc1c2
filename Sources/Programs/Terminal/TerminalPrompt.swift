import Glibc
import Synchronization

/// The modes of a terminal while a program asks, and their end.
///
/// What was typed and not read never outlives the prompt: the shell would show it, or run it as a command.
final class TerminalPrompt: Sendable {
    private let descriptor: Int32
    private let before: termios
    private let during: termios

    /// - Parameters:
    ///   - descriptor: The terminal.
    ///   - before: Its modes now, which come back.
    ///   - during: Its modes while the program asks.
    init(_ descriptor: Int32, before: termios, during: termios) {
        self.descriptor = descriptor
        self.before = before
        self.during = during
        _ = Self.restoresAtExit
    }

    /// Discards what was typed before, and sets the modes of the prompt; in the background it waits to be continued.
    func begin() {
        active.withLock { $0 = self }
        if isInForeground { set(during) }
    }

    /// Discards what was typed and not read, and sets the modes of before; calling it again changes nothing.
    func end() {
        let isActive = active.withLock { active in
            defer { if active === self { active = nil } }
            return active === self
        }
        if isActive, isInForeground { set(before) }
    }

    /// Whether the terminal has the modes of the prompt; a shell sets its own while the program is stopped.
    var isSet: Bool {
        var now = termios()
        return tcgetattr(descriptor, &now) == 0 && now.c_lflag == during.c_lflag && now.c_iflag == during.c_iflag
    }

    /// Whether this program may set the modes; a shell has set its own for another job, and would stop this one.
    private var isInForeground: Bool {
        let group = tcgetpgrp(descriptor)
        return group < 0 || group == getpgrp()
    }

    private func set(_ modes: termios) {
        // Has the kernel hand over what has arrived at the terminal, so that it is discarded, too.
        var arrived = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&arrived, 1, 0)
        var modes = modes
        // In the background it stops the program, and would do so again after a signal that ends it.
        while tcsetattr(descriptor, TCSAFLUSH, &modes) != 0, errno == EINTR, !AskingSignals.endIsNoted {}
    }

    /// Ends the active prompt when the program exits in the middle of it, as after a second Ctrl-C.
    private static let restoresAtExit: Void = {
        atexit { active.withLock { $0 }?.end() }
    }()
}

/// The prompt that is shown now; there is one terminal, so there is one at most.
private let active = Mutex<TerminalPrompt?>(nil)
