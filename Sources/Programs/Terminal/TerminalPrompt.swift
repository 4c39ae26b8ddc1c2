import Glibc
import Synchronization

/// Sets a terminal's modes for a prompt, then restores them and discards unread input, which the shell could run.
final class TerminalPrompt: Sendable {
    private let descriptor: Int32
    private let before: termios
    private let during: termios

    init(_ descriptor: Int32, before: termios, during: termios) {
        self.descriptor = descriptor
        self.before = before
        self.during = during
        _ = Self.restoresAtExit
    }

    /// Discards earlier input and sets the prompt's modes, unless the process is in the background.
    func begin() {
        active.withLock { $0 = self }
        if isInForeground { set(during) }
    }

    /// Discards unread input and restores the previous modes, unless the prompt has already ended.
    func end() {
        let isActive = active.withLock { active in
            defer { if active === self { active = nil } }
            return active === self
        }
        if isActive, isInForeground { set(before) }
    }

    /// Whether the terminal still has the prompt's modes.
    ///
    /// A shell can change the modes while the program is stopped.
    var isSet: Bool {
        var now = termios()
        return tcgetattr(descriptor, &now) == 0 && now.c_lflag == during.c_lflag && now.c_iflag == during.c_iflag
    }

    /// Whether this process is in the foreground and is therefore not stopped for setting the terminal's modes.
    private var isInForeground: Bool {
        let group = tcgetpgrp(descriptor)
        return group < 0 || group == getpgrp()
    }

    private func set(_ modes: termios) {
        // `poll` makes the kernel process the input that it has received, so that `tcsetattr` discards this input too.
        var arrived = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&arrived, 1, 0)
        var modes = modes
        // In the background, `tcsetattr` stops the program. Do not repeat it after a signal that ends the program.
        while tcsetattr(descriptor, TCSAFLUSH, &modes) != 0, errno == EINTR, !AskingSignals.endIsNoted {}
    }

    /// Restores the terminal's modes if the program exits during a prompt, for example after a second SIGTERM.
    private static let restoresAtExit: Void = {
        atexit { active.withLock { $0 }?.end() }
    }()
}

private let active = Mutex<TerminalPrompt?>(nil)
