import Foundation
import OAuth
import TestSupport
import Testing

/// Tests of the `tokenbroker` commands with which an operator manages users, invitations and groups.
@Suite(.timeLimit(.minutes(3)))
struct PeopleTests {
    private func said(_ machine: Machine, _ arguments: String...) throws -> String {
        let outcome = try machine.tokenbroker(arguments)
        #expect(outcome.status == 0, "\(arguments) \(outcome.errors)")
        return outcome.output
    }

    @Test("an operator invites, shows, groups, disables, unlocks and deletes a user") func operate() throws {
        let machine = try Machine(configuration: ["signUp: invited"])
        let daemon = try machine.startBroker()
        let person = Person.random()
        let stranger = Person.random()
        #expect(try said(machine, "user", "invite", person.email, "--days", "3").hasPrefix("Invited \(person.email)"))
        let connection = try machine.connect()
        _ = try stranger.beginSignUp(connection)
        try person.signUp(connection, on: machine)
        #expect(try said(machine, "user", "list").contains(person.email))
        #expect(try said(machine, "group", "add", "admins", person.email).contains("Members: 1."))
        #expect(try said(machine, "group", "list").contains("admins  1"))
        let unknown = try machine.tokenbroker(["group", "list", "nope"])
        #expect(unknown.status == 1 && unknown.output.isEmpty && unknown.errors.contains("no group with this name"))
        #expect(try person.token(connection)["claims"]?["groups"] == ["admins"])
        #expect(try said(machine, "user", "show", person.email).contains("groups: admins"))
        #expect(try said(machine, "group", "remove", "admins", person.email).contains("no longer"))
        #expect(try said(machine, "user", "disable", person.email).contains("disabled"))
        #expect(try person.signIn(connection) == "rejected")
        // The daemon has already sent later e-mails, so no e-mail to `stranger` was queued.
        #expect(machine.codeIfMailed(to: stranger.email, within: 0) == nil)
        daemon.signal(SIGTERM)
        daemon.wait()
    }

    @Test("the operator of a service re-enables a user, resets attempts, and deletes the user") func service() throws {
        try requireRoot("serves as the operator of a service")
        let machine = try Machine(isService: true)
        let daemon = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        _ = try said(machine, "user", "disable", person.email)
        #expect(try person.signIn(connection) == "rejected")
        _ = try said(machine, "user", "disable", person.email, "--undo")
        _ = try said(machine, "user", "unlock", person.email)
        #expect(try person.signIn(connection) == "accepted")
        _ = try said(machine, "user", "delete", person.email)
        let gone = try machine.tokenbroker(["user", "show", person.email])
        #expect(gone.status == 1 && gone.errors.contains("user list"), "\(gone.errors)")
        for refused in [["user", "delete", person.email], ["group", "remove", "g", person.email]] {
            #expect(try machine.tokenbroker(refused).status == 1)
        }
        #expect(try machine.tokenbroker(["group", "add", "a b", person.email]).status == 64)
        #expect(try machine.tokenbroker(["user", "invite", "nobody"]).status == 64)
        #expect(try machine.tokenbroker(["user", "invite", person.email, "--days", "0"]).status == 64)
        daemon.signal(SIGTERM)
        daemon.wait()
    }

    @Test("a reload disables sign-up, and the refusal refers to an operator") func closing() throws {
        let machine = try Machine()
        let notify = NotifySocket(machine.folder.path("run/n"))
        let daemon = try machine.startBroker(notify: notify)
        let connection = try machine.connect()
        _ = try connection.call("flow.start", ["policy": "b2c_1_sign_up", "requestId": "1"])
        let text = try String(contentsOfFile: machine.configuration, encoding: .utf8)
        try (text + "signUp: closed\n").write(toFile: machine.configuration, atomically: true, encoding: .utf8)
        daemon.signal(SIGHUP)
        #expect(notify.receives("READY=1"))
        let refused = try connection.refusal("flow.start", ["policy": "b2c_1_sign_up", "requestId": "2"])
        #expect(refused.code == 1018 && refused.message.contains("Ask an operator"))
        let outcome = try machine.tokenbroker(["sign-up", "--answer", "email=a@example.org", "--password-stdin"])
        #expect(outcome.status == 77 && outcome.errors.contains("closed"), "\(outcome.errors)")
        daemon.signal(SIGTERM)
        daemon.wait()
    }
}
