import FlowModel

/// What steps say to people.
enum Texts {
    static let interrupted = Message(
        code: "evaluation.interrupted",
        level: .error,
        text: "The last answer could not be checked. Please answer again."
    )

    static let nameTaken = Message(
        code: "name.taken",
        level: .error,
        text: "There is an account of that name already."
    )

    static let codeSent = Message(code: "code.sent", level: .info, text: "A code is on its way.")

    static func stepExpired(_ type: StepType) -> Message {
        type == .code
            ? Message(code: "code.expired", level: .error, text: "The code has ended. Ask for another one.")
            : Message(code: "step.expired", level: .info, text: "That took too long. Please answer again.")
    }

    static func wrong(_ type: StepType) -> Message {
        type == .code
            ? Message(code: "code.wrong", level: .error, text: "That code is not correct.", node: "code")
            : Message(
                code: "credentials.wrong",
                level: .error,
                text: "The name or the password is not correct.",
                node: "password"
            )
    }
}
