import ArgumentParser
import BrokerAPI
import FlowModel
import ProgramConfiguration
import Terminal

/// `tokenbroker`: the commands, in the order in which `--help` shows them.
struct TokenbrokerCommand: RootCommand {
    static let configuration = CommandConfiguration(
        "tokenbroker",
        "help.broker.tokenbrokerCommand",
        more: "help.broker.tokenbrokerCommand.more",
        version: Version.text,
        subcommands: [
            Token.self, SignUp.self, SignIn.self, SignOut.self, Accounts.self, Use.self, WhoAmI.self, Tokens.self,
            PasswordGroup.self, ProfileGroup.self, Scopes.self, ListPolicies.self, Status.self,
            AuthorityGroup.self, ImportGroup.self,
            RequestCommand.self, Exec.self, CredentialGroup.self, PinGroup.self, TotpGroup.self,
            ProviderGroup.self,
            Lock.self, Unlock.self, Audit.self, Doctor.self, PolicyGroup.self, ClientGroup.self, UserGroup.self,
            GroupGroup.self,
            KeysGroup.self,
            Backup.self, Restore.self,
        ]
    )

    static let notYet = [
        "token --pin-stdin"
    ]
}
