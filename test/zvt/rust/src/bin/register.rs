//! Pays amounts, one after the other, on one connection, and prints one line of JSON for each.
//! The library has no type for 06-01: it is declared here with the library's derive, and everything else is the library's.

use anyhow::Result;
use clap::Parser;
use futures::Stream;
use serde_json::{json, Value};
use std::pin::Pin;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_stream::StreamExt;
use zvt::packets::{self, StatusInformation};
use zvt::sequences::{self, read_packet_async, write_with_ack_async, AuthorizationResponse, Sequence};
use zvt::{encoding, length, Zvt, ZvtParser, ZvtSerializer};

#[derive(Parser)]
struct Args {
    /// Address and port of the terminal.
    #[clap(long)]
    address: String,

    /// What to pay, in cents.
    #[clap(long, required = true, value_delimiter = ',')]
    amounts: Vec<usize>,

    /// Registers first, with this configuration byte.
    #[clap(long)]
    config_byte: Option<u8>,

    #[clap(long, default_value = "123456")]
    password: usize,

    /// Registers as one that takes slips as blocks of text.
    #[clap(long)]
    text_blocks: bool,

    /// Sends 06-B0 as soon as the terminal has told of a payment's progress.
    #[clap(long)]
    abort: bool,
}

/// 06-00 with a list of permitted commands, which the library's own does not have.
#[derive(Debug, PartialEq, Zvt)]
#[zvt_control_field(class = 0x06, instr = 0x00)]
struct RegistrationRequest {
    #[zvt_bmp(length = length::Fixed<3>, encoding = encoding::Bcd)]
    password: usize,

    config_byte: u8,

    #[zvt_bmp(length = length::Fixed<2>, encoding = encoding::Bcd)]
    currency: Option<usize>,

    #[zvt_bmp(number = 0x06, length = length::Tlv)]
    tlv: Option<RegistrationTlv>,
}

#[derive(Debug, PartialEq, Zvt)]
struct RegistrationTlv {
    #[zvt_tlv(tag = 0x26)]
    permitted: Option<PermittedCommands>,
}

#[derive(Debug, PartialEq, Zvt)]
struct PermittedCommands {
    #[zvt_tlv(tag = 0x0a, encoding = encoding::Hex)]
    command: Option<String>,
}

struct RegisterWithTextBlocks;

impl Sequence for RegisterWithTextBlocks {
    type Input = RegistrationRequest;
    type Output = sequences::RegistrationResponse;
}

/// 06-01, as PA00P015 describes it in 2.2.
#[derive(Debug, PartialEq, Zvt)]
#[zvt_control_field(class = 0x06, instr = 0x01)]
struct AuthorizationRequest {
    #[zvt_bmp(number = 0x04, length = length::Fixed<6>, encoding = encoding::Bcd)]
    amount: Option<usize>,

    #[zvt_bmp(number = 0x49, length = length::Fixed<2>, encoding = encoding::Bcd)]
    currency: Option<usize>,
}

/// 06-B0: 2.25.
#[derive(Debug, PartialEq, Zvt)]
#[zvt_control_field(class = 0x06, instr = 0xb0)]
struct AbortRequest {}

struct Authorization;

impl Sequence for Authorization {
    type Input = AuthorizationRequest;
    type Output = AuthorizationResponse;

    fn into_stream<'a, Source>(input: &'a Self::Input, src: &'a mut Source) -> Pin<Box<dyn Stream<Item = Result<Self::Output>> + Send + 'a>>
    where
        Source: AsyncReadExt + AsyncWriteExt + Unpin + Send,
        Self: 'a,
    {
        let s = async_stream::try_stream! {
            tokio::pin!(src);
            write_with_ack_async(input, &mut src).await?;
            loop {
                let bytes = read_packet_async(&mut src).await?;
                let packet = AuthorizationResponse::zvt_parse(&bytes)?;
                src.write_all(&packets::Ack {}.zvt_serialize()).await?;
                let last = is_last(&packet);
                yield packet;
                if last {
                    break;
                }
            }
        };
        Box::pin(s)
    }
}

fn is_last(packet: &AuthorizationResponse) -> bool {
    matches!(packet, AuthorizationResponse::CompletionData(_) | AuthorizationResponse::Abort(_))
}

/// What the terminal said of one payment.
#[derive(Default)]
struct Heard {
    progress: Vec<u8>,
    printed: Vec<String>,
    blocks: usize,
    statuses: Vec<Value>,
    end: Option<Value>,
}

impl Heard {
    fn take(&mut self, packet: AuthorizationResponse) {
        match packet {
            AuthorizationResponse::IntermediateStatusInformation(status) => self.progress.push(status.status),
            AuthorizationResponse::StatusInformation(status) => self.statuses.push(status_json(&status)),
            AuthorizationResponse::PrintLine(line) => self.printed.push(line.text),
            AuthorizationResponse::PrintTextBlock(block) => {
                self.blocks += 1;
                self.printed
                    .extend(block.tlv.and_then(|tlv| tlv.lines).map_or(vec![], |text| text.lines));
            }
            AuthorizationResponse::CompletionData(_) => self.end = Some(json!({ "kind": "CompletionData" })),
            AuthorizationResponse::Abort(abort) => self.end = Some(json!({ "kind": "Abort", "code": abort.error })),
        }
    }

    fn print(self, amount: usize, error: Option<anyhow::Error>) {
        let end = match error {
            Some(error) => json!({ "kind": "Err", "message": format!("{error:#}") }),
            None => self.end.unwrap_or(Value::Null),
        };
        println!(
            "{}",
            json!({
                "amount": amount, "end": end, "statuses": self.statuses, "progress": self.progress, "printed": self.printed, "blocks": self.blocks,
            })
        );
    }
}

fn status_json(status: &StatusInformation) -> Value {
    json!({
        "resultCode": status.result_code, "amount": status.amount, "trace": status.trace_number, "receipt": status.receipt_no,
        "terminalId": status.terminal_id, "currency": status.currency, "cardType": status.card_type, "card": status.zvt_card_type,
        "cardName": status.card_name, "text": status.additional_text, "authorization": status.aid_authorization_attribute,
    })
}

async fn pay(request: &AuthorizationRequest, socket: &mut TcpStream, heard: &mut Heard) -> Result<()> {
    let mut stream = Authorization::into_stream(request, socket);
    while let Some(packet) = stream.next().await {
        heard.take(packet?);
    }
    Ok(())
}

/// The same with 06-B0 in place of the first acknowledgement: the very next frame has to acknowledge that.
async fn pay_and_abort(request: &AuthorizationRequest, socket: &mut TcpStream, heard: &mut Heard) -> Result<()> {
    tokio::pin!(socket);
    write_with_ack_async(request, &mut socket).await?;
    let mut aborted = false;
    loop {
        let bytes = read_packet_async(&mut socket).await?;
        let packet = AuthorizationResponse::zvt_parse(&bytes)?;
        let last = is_last(&packet);
        if !aborted && matches!(packet, AuthorizationResponse::IntermediateStatusInformation(_)) {
            aborted = true;
            write_with_ack_async(&AbortRequest {}, &mut socket).await?;
        } else {
            socket.write_all(&packets::Ack {}.zvt_serialize()).await?;
        }
        heard.take(packet);
        if last {
            return Ok(());
        }
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    let mut socket = TcpStream::connect(&args.address).await?;
    if let Some(config_byte) = args.config_byte {
        let (password, currency) = (args.password, Some(978));
        let plain = packets::Registration {
            password,
            config_byte,
            currency,
            tlv: None,
        };
        let command = Some("06d3".to_string());
        let tlv = Some(RegistrationTlv {
            permitted: Some(PermittedCommands { command }),
        });
        let with_blocks = RegistrationRequest {
            password,
            config_byte,
            currency,
            tlv,
        };
        let mut stream = if args.text_blocks {
            RegisterWithTextBlocks::into_stream(&with_blocks, &mut socket)
        } else {
            sequences::Registration::into_stream(&plain, &mut socket)
        };
        while let Some(response) = stream.next().await {
            let sequences::RegistrationResponse::CompletionData(completion) = response?;
            println!(
                "{}",
                json!({ "registered": completion.terminal_id, "currency": completion.currency })
            );
        }
    }
    for amount in args.amounts {
        let request = AuthorizationRequest {
            amount: Some(amount),
            currency: Some(978),
        };
        let mut heard = Heard::default();
        let paid = if args.abort {
            pay_and_abort(&request, &mut socket, &mut heard).await
        } else {
            pay(&request, &mut socket, &mut heard).await
        };
        let failed = paid.is_err();
        heard.print(amount, paid.err());
        if failed {
            break;
        }
    }
    Ok(())
}
