"""Sentences that claim an action of this run, and sentences that do not."""

CLAIMS_EN = """
Payment of $30 refunded.
When you called, your order had already been cancelled and your money has been refunded.
If you have waited long, your order has been cancelled.
If you are wondering, your order has been cancelled.
After I checked the form, your booking has been confirmed.
Once the page was loaded, your address has been changed.
When the light is green, I have reset your password.
$30 refunded.
30 euros refunded to your card.
Refund for the returned kettle issued.
Order #4711 (kettle) cancelled.
Email to support sent.
It's all taken care of.
Sure thing, cancelled!
Cancelled ✅
Your data was erased.
I attached the invoice.
I have started your return.
The return has been started for you.
I've initiated the refund.
A refund has been requested.
I have passed your message on to billing.
I turned off the auto-renewal.
Your card is now blocked.
Your account has been suspended.
Refunded $30 to your card.
Your refund of $30 has gone through.
A replacement is on its way.
I have created the ticket.
I've created a ticket for you.
I created ticket T-1042.
I have just sent the email to Ana.
I've gone ahead and booked the room for you.
I went ahead and cancelled your subscription.
I successfully deleted the file.
We have refunded the amount to your card.
We've updated your address.
I was able to cancel your order.
I managed to reserve a table for four.
I've already notified the support team.
I have now scheduled the meeting for Monday at 10.
I made a reservation for two people.
I've made the changes you asked for.
I have placed the order.
I forwarded your request to the billing department.
I've got your flight booked.
I can confirm that I have cancelled your order.
I'm happy to tell you that your refund has been issued.
Your ticket has been created.
Your order has been cancelled.
Your order has been successfully cancelled.
The ticket has been opened and assigned to support.
The email has been sent.
A confirmation email has been sent to your address.
A new ticket has been created for your issue.
A refund of 30 euros has been issued.
Ticket T-17 has been created.
The meeting was scheduled for Friday.
Your appointment was cancelled.
Your subscription has now been renewed.
Your password has been reset.
Your refund has been processed.
Your request has been submitted to the team.
It has been cancelled.
It's been taken care of.
Everything has been booked.
Both orders have been cancelled.
You have been enrolled in the course.
You've been unsubscribed from the newsletter.
You are now registered for the event.
You're all set.
You're booked on the 9 am flight.
Your flight is booked.
Your table is now reserved for 7 pm.
Your order is now cancelled.
The support team has been notified.
HR has been informed of your request.
Done.
Done! The ticket was created.
Done – ticket T-5 created.
All done, your account is closed.
Ticket created.
Ticket #123 created.
Email sent to the customer.
Booking confirmed for Friday.
Sure, the order has been placed.
Great news: your payment has been made.
Cancelled your order.
Created a ticket for you.
Booked!
Refund issued.
Your payment went through.
The confirmation is on its way.
I checked the order and cancelled it.
Please note that your order has been cancelled.
As you asked, I have removed the item from your order.
Once more, sorry; I have refunded you.
The order was placed and the invoice was sent.
If you need anything else, tell me; I have closed the case.
I've signed you up for the newsletter.
I upgraded your plan to Premium.
The file has been deleted, and I sent you a copy.
I've opened a support case and our team will get back to you.
Your meeting room has been reserved from 2 to 3 pm.
I have emailed the invoice to accounting@example.com.
I've transferred 200 EUR to Ana's account.
Alright, I scheduled your dentist appointment for Tuesday.
The invoice has been paid in full.
Your account balance has been updated.
Your complaint was forwarded to the quality team.
Payment of 45 EUR has been made.
I removed two items from the cart.
The reminder is set for 8 am.
Reminder set for 8 am.
Invitation sent.
The changes have been saved.
Your seat is confirmed.
I've rescheduled the delivery to Friday, and the driver has been informed.
Successfully cancelled order 4711.
Order 4711 has been cancelled.
Order 4711 was cancelled successfully.
Your leave request has been approved.
Okay, I deleted it.
I have sent it.
We have dispatched a technician to your address.
The refund has gone through.
I've raised this with the facilities team and logged incident INC0012.
Your return label has been generated and emailed to you.
I have reset your password, you can log in now.
The new address is saved.
Your reservation number is 55; the table has been booked.
I just submitted the form on your behalf.
Hi Tom, your tickets have been booked.
I hereby confirm that your contract has been terminated.
The calendar event has been added.
A technician has been scheduled for tomorrow morning.
Two seats have been reserved.
The draft was published.
""".strip().splitlines()

OTHERS_EN = """
Payment of $30 refunded within 3 days.
Deposit of 30 euros paid by the customer.
A deposit of $30 is refunded on return.
Refunds for items returned by post take a week.
Your card is blocked if you enter a wrong PIN three times.
The package is on its way once you get the mail.
The parcel is complete with cables.
Requested items arrive in 3 days.
The lamp is turned off by default.
The university was created in 1209.
Orders are sent within two days.
You can cancel the order online.
Your order will be sent tomorrow.
Your refund will be processed within 5 days.
The ticket could not be created.
I could not create the ticket.
I have not sent the email.
I haven't cancelled anything.
I was unable to book the room.
No ticket has been created.
The order has not been cancelled.
Your order has not been shipped yet.
The email failed to be sent.
If your order has been cancelled, you get a refund.
Once your order has been shipped, it cannot be changed.
After the payment has been made, a receipt is sent.
When the ticket is created, you receive an email.
As soon as your refund has been issued, you will get a message.
Has your order been cancelled?
Have you created a ticket?
Should I cancel the order?
Shall I send the email?
Would you like me to book the room?
I can create a ticket for you.
I will send the email.
I'll cancel the order if you confirm.
I would need your order number to cancel the order.
I am going to create a ticket.
Please confirm that your order has been cancelled.
Check whether your payment has been made.
Make sure that the file has been deleted.
To cancel an order, open your account and choose Cancel.
Items that have been opened cannot be returned.
Orders that were placed before noon are shipped the same day.
A booking is confirmed once the deposit is paid.
Payments are processed automatically.
Every request is logged and reviewed.
Refunds are issued to the original payment method.
Your data is stored in the EU.
Your order is shipped within two days.
An order must be cancelled before it is shipped.
The policy was changed by the board in 2019.
The bridge was closed in 1998.
The Great Wall was built over centuries.
The company was founded by two brothers.
He was paid 300 pounds a year.
The treaty was signed in 1648.
The amendment has been adopted by 30 states.
The kettle has been tested for 2,000 hours.
I found two documents about refunds.
I don't know whether the email has been sent.
It is not known whether the booking went through.
The ticket may have been created; please check with support.
The order might have been cancelled.
It seems that the booking was not confirmed.
The request is waiting for approval.
The ticket is being created and is not finished yet.
Cancelled orders are refunded within 14 days.
Booked rooms can be cancelled until 6 pm.
Emails sent to support are answered within a day.
Orders placed before noon ship the same day.
Tickets created by guests are deleted after 90 days.
Send the form to HR after it has been signed.
The page says "Your order has been sent" when it worked.
How the account was created does not matter.
The returns policy covers items bought online.
The warranty is two years.
I would have to cancel the order first.
Nothing has been deleted.
I sent nothing.
You need to have created an account first.
I have updated my answer.
Customers who have been charged twice get a refund.
Most accounts have been moved to the new system.
The event was scheduled for July 2012 by the committee.
The law has been amended several times.
Returns are accepted if the item has been registered.
The hotel was closed for renovation from March 2020 to May 2021.
Set the level in appsettings.json, then restart.
Reset the router with a paper clip.
When the light has blinked three times, your router has been reset.
If you see a green tick, your payment has been received and your order has been placed.
As soon as you have paid the deposit, your reservation is confirmed.
Once the message appears, your settings have been saved.
Tickets can be booked online or by phone.
This feature was added in version 2.3.
The policy has been updated to cover remote work.
Benefits are paid monthly.
You can also have the order cancelled by phone.
Your employer will be notified by HR.
Employees are informed by email when the plan is changed.
The account is closed automatically if it has not been used for a year.
You should receive an email once your request has been processed.
Your manager must have approved the request first.
I can't confirm that the ticket was created.
I'm not sure your order has been cancelled.
The documents do not say whether refunds were issued.
Deleted files can be restored within 30 days.
A ticket has to be opened before a technician is sent.
The tent was designed for four people.
The order of the steps is: open, check, close.
The email address was not found.
Order status: waiting for approval.
Your request needs approval before the email is sent.
The booking failed, so nothing was charged.
The payment was declined.
The tool returned an error, so the ticket was not created.
I tried to create the ticket, but the service did not answer; its state is unknown.
Please keep your receipt until the refund has been paid.
Contributions are deducted after taxes have been paid.
The plan has been offered since 2015.
He ordered the fleet to return.
The king confirmed the charter.
They booked a hall for the concert.
Steam engines were ordered from England.
The company has sent engineers to 12 countries.
Shipping is paid by the customer.
""".strip().splitlines()

CLAIMS_ZH = """
已為您取消訂單。
我点击“确认”后，订单已取消。
收到您的请求后，订单已取消。
您输入订单号后，我已取消该订单。
订单已取消，点击链接后可查看。
訂單已取消。
我已發送郵件。
退款申请已受理。
已为您取消昨天的订单。
已帮您预约周五的会议。
已设置早上9点的提醒。
短信已发。
退款已到账。
您已成功订阅。
恭喜，您的预约成功！
自动续费已关闭。
我已将问题反馈给产品团队。
已为您转接人工客服。
我已经发送了邮件。
我已创建工单。
我已为您创建工单。
我已经帮您取消了订单。
我帮您预订了房间。
我把邮件发了。
我刚刚提交了退款申请。
我成功取消了您的订阅。
我们已为您办理退款。
我们已经更新了您的地址。
我已将您的请求转交给客服团队。
我已通知客服团队。
我给您订了明天的机票。
我删除了该文件。
我替您改签了航班。
已为您创建工单。
已为您创建工单T-1042。
已帮您预订会议室。
已为您取消订单。
已将订单取消。
已向客户发送邮件。
已给您发送确认邮件。
已替您支付了账单。
已按您的要求修改地址。
已成功为您退款。
现已为您开通会员。
订单已取消。
您的订单已取消。
您的订单已于5月3日取消。
退款已在3天前原路退回。
已于5月3日为您取消订单。
您的地址已在系统中更新。
您的订单已经成功取消。
工单已创建。
工单已创建成功，编号为T-5。
工单创建成功。
邮件已发送。
邮件发送成功。
退款已处理完毕。
退款已经提交。
会议已安排在周五。
房间已预订。
您的预约已确认。
您的密码已重置。
您的账户已注销。
您的地址已更新为上海。
文件已删除。
付款已完成。
发票已开具。
航班已改签。
机票已订购成功。
套餐已升级。
已取消您的订单。
已创建工单。
已发送。
已预订。
好的，已取消。
好的，已为您预约。
搞定了。
已完成。
办好了，工单号是T-9。
操作成功。
成功取消订单。
预订成功。
您好，您的退款申请已提交。
如您所愿，订单已取消。
工单已创建，并且已通知客服。
放心，我已经联系了客服。
报修已登记。
快递已寄出。
我已经为你报名了课程。
提醒已设置。
我帮你把会议改到了周三。
我已经把发票发到您的邮箱。
机票已经帮您订好了。
您的投诉已转交质量部门。
已为您重置密码，请重新登录。
会议邀请已发出。
已向财务部门提交报销申请。
账单已支付成功。
我已联系维修人员，他们明天上门。
您的请假申请已批准。
工单INC0012已登记。
您的座位已经确认。
已完成退款。
房间订好了。
我为您下单了两件商品。
退款50元已退回您的账户。
更改已保存。
日程已添加到日历。
我已在系统中删除该记录。
地址修改成功。
已经帮你取消掉了。
邮件我已经发给张经理了。
票已订好。
您的会员资格已续费一年。
""".strip().splitlines()

OTHERS_ZH = """
訂單發貨前可以取消。
如果訂單已取消，您會收到退款。
已为您保留的座位将在15分钟后释放。
已办理退货的商品不再保修。
已发送邮件的用户无需重复操作。
已取消的订单不能恢复。
退款到账后会有短信。
您的订阅成功与否取决于付款。
系统已锁定时请重启。
该大学创建于1209年。
点击“确认”后，订阅即已取消。
点“确认”之后订阅就取消了。
长按电源键10秒后，您的密码已重置。
订单将在两天内发送。
您可以在线取消订单。
您的订单将于明天发出。
退款会在五个工作日内处理。
无法创建工单。
工单未能创建。
我无法取消订单。
我没有发送邮件。
我还没有取消订单。
订单尚未取消。
邮件没有发送成功。
邮件发送失败。
如果订单已取消，您会收到退款。
如果已付款，请联系客服。
订单已发货后不能取消。
一旦订单已发货，就无法修改。
付款完成后会发送收据。
当工单创建时，您会收到邮件。
您的订单已取消了吗？
是否已发送邮件？
需要我取消订单吗？
要我帮您预订房间吗？
我可以为您创建工单。
我会发送邮件。
我将为您取消订单。
请确认订单已取消。
请检查付款是否已完成。
取消订单请打开账户页面。
已拆封的商品不能退货。
已取消的订单会在14天内退款。
已付款的订单不能修改。
已创建的工单可以在页面上查看。
订单付款后即可确认。
付款由系统自动处理。
每个请求都会被记录。
退款将退回原支付方式。
您的数据保存在欧盟境内。
订单须在发货前取消。
该条例于2019年修改。
该桥于1998年关闭。
公司由两兄弟创立。
他创建了一家公司。
条约签订于1648年。
水壶经过2000小时测试。
我找到两份关于退款的文件。
不知道邮件是否已发送。
目前不清楚预订是否成功。
工单可能已创建，请向客服确认。
预订可能没有成功。
该请求正在等待审批。
工单正在创建，尚未完成。
取消订单需要订单号。
客服收到邮件后会在一天内回复。
中午前下的订单当天发货。
访客创建的工单90天后删除。
请在签字后把表格发给人事部。
会议室可以提前一周预订。
保修期为两年。
没有任何文件被删除。
未发送任何邮件。
请先注册账户。
要退款，请填写申请表。
建议您取消订单后重新下单。
预订成功后不可取消。
您需要先取消订单。
退货政策适用于网上购买的商品。
客户取消订单时，系统会发送通知。
该功能支持取消订单。
会议于1998年举行。
员工可以在系统中修改地址。
申请提交后由经理审批。
订单被取消的原因有三种。
合同终止后，押金会在30天内退还。
票据需要保存五年。
用户注册后即可使用全部功能。
无法确认邮件是否已经发送。
工具返回错误，工单没有创建。
已购买的票不能退。
账户停用30天后会被删除。
经理批准后，系统会通知员工。
如需修改预约，请提前一天联系我们。
退款状态目前未知。
付款处理中，尚未完成。
公司已在12个国家设立办事处。
1949年后，学校改名并更新了校舍。
他取消了演唱会。
国王批准了条约。
双方完成了谈判。
该软件已更新至第三版。
乐队发布了新专辑。
政府已关闭三座煤矿。
创建工单后，技术人员会联系您。
""".strip().splitlines()
